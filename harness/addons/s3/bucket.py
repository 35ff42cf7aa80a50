"""A prefix of a bucket: every call to S3 is here."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from harness.addons.aws import answers, client, error_code
from harness.errors import HostError, InputError

DIGEST = "blake3"
Body = bytes | bytearray
_BUCKET = re.compile(r"[\w.-]+|arn:[\w:.-]+")
_CONTENT_TYPES = {".html": "text/html; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml"}


@dataclass(frozen=True)
class Stored:
    """What the store knows about an object without its body."""

    size_bytes: int
    blake3: str


@dataclass(frozen=True)
class Bucket:
    """A prefix of a bucket. Names are relative to the prefix. Threads may share it."""

    s3: Any
    bucket: str
    prefix: str

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")

    def sizes(self, under: str) -> dict[str, int]:
        """The objects whose names begin so, and their sizes in bytes."""
        with answers("s3"):
            pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=self._key(under))
            found = [one for page in pages for one in page.get("Contents", ())]
        return {one["Key"].removeprefix(self._key("")): one["Size"] for one in found}

    def folders(self, under: str = "") -> list[str]:
        """The names of the folders directly below one (`under` ends with `/`, or is empty), without slashes."""
        found = []
        with answers("s3"):
            pages = self.s3.get_paginator("list_objects_v2").paginate(
                Bucket=self.bucket, Prefix=self._key(under), Delimiter="/"
            )
            for page in pages:
                found += [one["Prefix"].removesuffix("/").rpartition("/")[2] for one in page.get("CommonPrefixes", ())]
        return found

    def head(self, name: str) -> Stored | None:
        """An object's size and the digest of what is packed in it; None if it isn't there."""
        with answers("s3"):
            try:
                found = self.s3.head_object(Bucket=self.bucket, Key=self._key(name))
            except ClientError as error:
                if error_code(error) in {"404", "NoSuchKey", "NotFound"}:
                    return None
                raise
        return Stored(found["ContentLength"], found["Metadata"].get(DIGEST, ""))

    def open(self, name: str) -> Any:
        """An object's body, to be read piece by piece and closed; None if it isn't there."""
        with answers("s3"):
            try:
                return self.s3.get_object(Bucket=self.bucket, Key=self._key(name))["Body"]
            except ClientError as error:
                if error_code(error) in {"NoSuchKey", "404"}:
                    return None
                raise

    def read(self, name: str, most_bytes: int = 64 * 2**20) -> bytes | None:
        """A small object whole; None if it isn't there.

        Raises:
            HostError: it is larger than it can rightly be.
        """
        body = self.open(name)
        if body is None:
            return None
        with answers("s3"), body:
            content: bytes = body.read(most_bytes + 1)
        if len(content) > most_bytes:
            raise HostError(f"{self}/{name}: too large to be what its name says", do="look at it, and remove it")
        return content

    def put(self, name: str, body: Body, blake3: str = "") -> None:
        """Send an object in one piece; the store checks it by MD5 before it keeps it."""
        with answers("s3"):
            self.s3.put_object(
                Bucket=self.bucket, Key=self._key(name), Body=body, ContentMD5=_md5(body), **self._headers(name, blake3)
            )

    # --- in parts ------------------------------------------------------------------------------------------------

    def unfinished(self, under: str) -> dict[str, str]:
        """Uploads in parts that were begun and not ended: name -> the newest upload's id."""
        found: dict[str, str] = {}
        with answers("s3"):
            pages = self.s3.get_paginator("list_multipart_uploads").paginate(
                Bucket=self.bucket, Prefix=self._key(under)
            )
            uploads = [one for page in pages for one in page.get("Uploads", ())]
        for one in sorted(uploads, key=lambda one: one["Initiated"]):
            found[one["Key"].removeprefix(self._key(""))] = one["UploadId"]
        return found

    def begin(self, name: str, blake3: str) -> str:
        """Begin an upload in parts; its id."""
        with answers("s3"):
            begun = self.s3.create_multipart_upload(
                Bucket=self.bucket, Key=self._key(name), **self._headers(name, blake3)
            )
            return str(begun["UploadId"])

    def parts(self, name: str, upload: str) -> dict[int, tuple[int, str]]:
        """The parts of an upload that the store has: number -> size and ETag (the MD5 of its bytes, as a rule)."""
        with answers("s3"):
            pages = self.s3.get_paginator("list_parts").paginate(
                Bucket=self.bucket, Key=self._key(name), UploadId=upload
            )
            return {
                part["PartNumber"]: (part["Size"], part["ETag"]) for page in pages for part in page.get("Parts", ())
            }

    def put_part(self, name: str, upload: str, number: int, body: Body) -> str:
        """Send a part (numbers count from 1); its ETag."""
        with answers("s3"):
            sent = self.s3.upload_part(
                Bucket=self.bucket,
                Key=self._key(name),
                UploadId=upload,
                PartNumber=number,
                Body=body,
                ContentMD5=_md5(body),
            )
            return str(sent["ETag"])

    def complete(self, name: str, upload: str, etags: list[str]) -> None:
        """Let the object appear, from all its parts in order."""
        parts = [{"PartNumber": number, "ETag": etag} for number, etag in enumerate(etags, 1)]
        with answers("s3"):
            self.s3.complete_multipart_upload(
                Bucket=self.bucket, Key=self._key(name), UploadId=upload, MultipartUpload={"Parts": parts}
            )

    def abandon(self, name: str, upload: str) -> None:
        """Throw the parts of an upload away; they cost as much as objects do."""
        with answers("s3"):
            self.s3.abort_multipart_upload(Bucket=self.bucket, Key=self._key(name), UploadId=upload)

    def _key(self, name: str) -> str:
        return f"{self.prefix}/{name}" if self.prefix else name

    @staticmethod
    def _headers(name: str, blake3: str) -> dict[str, Any]:
        suffix = f".{name.rpartition('.')[2]}"
        kind = _CONTENT_TYPES.get(suffix, "application/octet-stream")
        return {"ContentType": kind} | ({"Metadata": {DIGEST: blake3}} if blake3 else {})


def etag_of(body: Body) -> str:
    """The ETag that the store gives a part, unless it encrypts with a key of its own."""
    return f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'


def open_store(address: str, endpoint: str | None = None) -> Bucket:
    """The store at `s3://bucket/prefix`; nothing is sent yet.

    Raises:
        InputError: that is no address of a store, or no endpoint.
    """
    scheme, _, rest = address.partition("://")
    bucket, _, prefix = rest.partition("/")
    if scheme != "s3" or not _BUCKET.fullmatch(bucket):  # not repeated: it may be a URL with a password
        raise InputError("that is not a results store", do="give STORE=s3://bucket/prefix")
    return Bucket(client("s3", endpoint=endpoint), bucket, prefix.strip("/"))


def _md5(body: Body) -> str:
    return base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()
