"""A results store on S3, or on any server that speaks it.

s3://bucket/prefix/<campaign>/<run-id>/<path>[.zst]      a run's files, each zstd-compressed unless that is no use
s3://bucket/prefix/<campaign>/<run-id>/manifest.json     what belongs to the run, with digests; written last
s3://bucket/prefix/index.html                            every run in the store
"""
