"""A private authority made for one run, by which clients and members know the database hosts that they meet.

Its own key never leaves this process's memory, and is forgotten once the hosts' certificates are signed.
"""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

AUTHORITY = "authority.pem"
HOSTS = "hosts"
_NAME = "pressgauge authority"
_LOOPBACK = "127.0.0.1"  # where a host's own tasks meet its instances
_VALID = timedelta(days=366)  # no run is longer; mongod warns of certificates that end within 30 days
_CLOCKS_DIFFER = timedelta(hours=1)
# Members show theirs to each other, both as server and as client.
_USES = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
_SHOWN = x509.KeyUsage(
    digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
    key_agreement=False, key_cert_sign=False, crl_sign=False, encipher_only=False, decipher_only=False,
)  # fmt: skip
_SIGNS = x509.KeyUsage(
    digital_signature=False, content_commitment=False, key_encipherment=False, data_encipherment=False,
    key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
)  # fmt: skip


def certify(folder: Path, addresses: Mapping[str, str]) -> None:
    """Make an authority, and for each database host a key and a certificate for its address and the loopback.

    Args:
        folder: made anew, private; gets `authority.pem`, the authority's certificate, and `hosts/<host>.pem`, each
            host's key and certificate.
        addresses: where clients and members find each database host, by its name in the inventory.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    (folder / HOSTS).mkdir()
    authority = ec.generate_private_key(ec.SECP256R1())
    itself = _certificate(_NAME, authority.public_key(), ca=True)
    signed = itself.sign(authority, hashes.SHA256()).public_bytes(Encoding.PEM)
    _write(folder / AUTHORITY, signed, 0o644)
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key())
    for host, address in addresses.items():
        key = ec.generate_private_key(ec.SECP256R1())
        names = [_general_name(one) for one in dict.fromkeys((address, _LOOPBACK))]
        certificate = (
            _certificate(f"pressgauge {host}", key.public_key(), ca=False)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(_USES, critical=False)
            .add_extension(issuer, critical=False)
            .sign(authority, hashes.SHA256())
        )
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        _write(folder / HOSTS / f"{host}.pem", private + certificate.public_bytes(Encoding.PEM), 0o600)


def _certificate(subject: str, key: ec.EllipticCurvePublicKey, *, ca: bool) -> x509.CertificateBuilder:
    """With what strict verifiers, such as Python's from 3.13, want of every certificate."""
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject[:64])]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)]))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCKS_DIFFER)
        .not_valid_after(now + _VALID)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=0 if ca else None), critical=True)
        .add_extension(_SIGNS if ca else _SHOWN, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _general_name(address: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(address))
    except ValueError:
        return x509.DNSName(address)


def _write(path: Path, content: bytes, mode: int) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
