"""The reference of B7: objects read in order, one block each, as a program does that opens them with fsspec, and computed on.

usage: sequential.py ENDPOINT BUCKET/PREFIX RESULTS SECONDS

Writes the last 4 KiB of each object to RESULTS, as the step of Forebay's job does; "computes" by sleeping SECONDS for each object.
"""

import os
import sys
import time

import s3fs

endpoint, prefix, results, seconds = sys.argv[1:]
store = s3fs.S3FileSystem(client_kwargs={"endpoint_url": endpoint})
for entry in store.ls(prefix, detail=True):
    with store.open(entry["name"], "rb", block_size=entry["size"]) as file:
        data = file.read()
    with open(os.path.join(results, os.path.basename(entry["name"])), "wb") as tail:
        tail.write(data[-4096:])
    time.sleep(float(seconds))
