package io.forebay.sidecar.store.s3;

/** What is asked of the server, in the words of messages. */
enum Operation {
    LIST("list", "s3:ListBucket"),
    STAT("stat", "s3:GetObject"),
    READ("read", "s3:GetObject"),
    WRITE("write", "s3:PutObject"),
    CREATE_UPLOAD("begin the upload of", "s3:PutObject"),
    WRITE_PART("upload a part of", "s3:PutObject"),
    LIST_UPLOADS("list the uploads of", "s3:ListBucketMultipartUploads"),
    LIST_PARTS("look at the upload of", "s3:ListMultipartUploadParts"),
    COMPLETE("complete the upload of", "s3:PutObject"),
    ABORT("abort the upload of", "s3:AbortMultipartUpload"),
    DELETE("delete", "s3:DeleteObject");

    private final String words;
    private final String permission;

    Operation(String words, String permission) {
        this.words = words;
        this.permission = permission;
    }

    String words() {
        return words;
    }

    /** The action that a policy must allow. */
    String permission() {
        return permission;
    }
}
