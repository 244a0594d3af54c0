package io.forebay.sidecar.step;

/**
 * What the engine and {@code forebay-step} say to each other, over a Unix stream socket which the engine listens on.
 * {@code src/runner/protocol.h} has the same in C; both change together.
 *
 * <p><b>Frame</b>: length u32 | type u8 | fields. The length counts type and fields: 1 to {@value #MAX_FRAME}; anything else ends
 * the connection, as does an unknown type, a field that does not fit, and a byte too many. All numbers are big-endian and unsigned.
 * <i>text</i>: length u32 | bytes, without NUL, any bytes (names are bytes). <i>data</i>: the same, NUL allowed. <i>list</i>: count
 * u32 | texts. <i>id</i>: item u64 | generation u32 | attempt u32 | step text.
 *
 * <p><b>Runner to engine</b>
 * <pre>
 * 81 HELLO      magic u32 "FBST" | version u16 | role u8 (1 step, 2 commit) | token text | seat text | step text | slots u32
 *               | pid u64 | instance text | landlock u32 | notes text (a line each)
 * 82 RUNNING    id                           } after WELCOME: all it has, the ends too;
 * 83 END        id | exit u8 | signal u8 | flags u8 (1 lost, 2 out of memory, 4 not started) | wall, user, system ms u64
 *               | peak bytes u64 | tail data | problem text
 * 84 ANNOUNCED                               } then this
 * 85 STARTED    id
 * 86 OUTPUT     id | dropped u64 | data      prefixed lines, for display only: dropped when the engine is slow; so many bytes since the
 *                                            last one, the rest of them before END
 * 87 FORGOTTEN  id                           answers ACK
 * 88 LEASE_ANSWER request u64 | answer u8 (0 no, 1 yes, 2 cannot tell) | why text
 * 89 DONE       request u64 | count u64 | problem text (empty: all done)
 * 8A LEAVING                                 no more WORK: it was told to end
 * 8B DRAIN                                   commit: its pod is being ended
 * 8C GOT                                     commit: has the answer
 * 8D NOTE       text                         to be told to the user once
 * </pre>
 *
 * <p><b>Engine to runner</b>
 * <pre>
 * 01 WELCOME    version u16 | fences list    folders that commands see nothing of but their own
 * 02 REFUSED    kind u8 (0 try again, 1 for good, 2 the token is wrong) | why text; then the connection is closed
 * 03 WORK       id | label text | argv list | environment list (NAME=value) | working folder text | readable list | writable list
 *               | log file text | memory limit u64 (0: none)
 * 04 STOP       id | grace ms u32
 * 05 ACK        id                           its end is durable here: forget it
 * 06 LEASE      request u64 | path text
 * 07 HANDOVER   request u64 | modes file text | folders list
 * 08 CLEAN      request u64 | folders list
 * 09 BYE        grace ms u32                 stop what runs, then end
 * 0A ANSWER     code u8                      commit: exit with it
 * </pre>
 *
 * <p><b>Who is who.</b> A connection is known by itself, never by the peer's pid (0 across containers). The <i>instance</i> is one
 * process life of a runner, random. The <i>seat</i> is where a runner sits: one step's container, or one step of a local run; of two instances
 * in one seat the later one follows the earlier one's death. So: a seat whose connection is open refuses another instance; a new instance in a
 * seat means that the commands of the one before are lost; a connection that is gone means nothing for a while, since the runner may
 * come back with all it has. What was once told as lost is fenced: a runner that comes back with it is told to kill it.
 *
 * <p><b>Repeating.</b> WORK for a command that the runner has is not started again; its STARTED or END is said again. An END is kept and
 * announced on every new connection until ACK; the engine answers a known one with ACK again. What was asked (LEASE, HANDOVER, CLEAN) is
 * forgotten by a runner whose connection is gone, and asked again.
 *
 * <p><b>Bounds.</b> Before HELLO: {@value #MAX_HELLO} bytes and 5 s. The engine sends no WORK beyond {@code slots}, nor while 256 ends wait for
 * its ACK.
 */
final class Protocol {
    private Protocol() {}

    static final int VERSION = 2;
    static final int MAGIC = 0x46425354;
    static final int MAX_FRAME = 4 * 1024 * 1024;
    static final int MAX_HELLO = 16 * 1024;
    static final int MAX_UNACKNOWLEDGED = 256;

    static final int ROLE_STEP = 1;
    static final int ROLE_COMMIT = 2;

    static final int WELCOME = 0x01;
    static final int REFUSED = 0x02;
    static final int WORK = 0x03;
    static final int STOP = 0x04;
    static final int ACK = 0x05;
    static final int LEASE = 0x06;
    static final int HANDOVER = 0x07;
    static final int CLEAN = 0x08;
    static final int BYE = 0x09;
    static final int ANSWER = 0x0A;

    static final int HELLO = 0x81;
    static final int RUNNING = 0x82;
    static final int END = 0x83;
    static final int ANNOUNCED = 0x84;
    static final int STARTED = 0x85;
    static final int OUTPUT = 0x86;
    static final int FORGOTTEN = 0x87;
    static final int LEASE_ANSWER = 0x88;
    static final int DONE = 0x89;
    static final int LEAVING = 0x8A;
    static final int DRAIN = 0x8B;
    static final int GOT = 0x8C;
    static final int NOTE = 0x8D;

    static final int REFUSED_NOW = 0;
    static final int REFUSED_FOR_GOOD = 1;
    static final int REFUSED_TOKEN = 2;

    static final int END_LOST = 1;
    static final int END_OOM = 2;
    static final int END_UNSTARTED = 4;

    static final int LEASE_YES = 1;
}
