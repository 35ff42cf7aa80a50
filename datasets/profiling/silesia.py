"""Recognises the Silesia corpus, in which compressors are often compared, by the digests of its files."""

from hashlib import file_digest
from pathlib import Path

_FILES = {
    "dickens": (10_192_446, "b24c37886142e11d0ee687db6ab06f936207aa7f2ea1fd1d9a36763c7a507e6a"),
    "mozilla": (51_220_480, "657fc3764b0c75ac9de9623125705831ebbfbe08fed248df73bc2dc66e2a963b"),
    "mr": (9_970_564, "68637ed52e3e4860174ed2dc0840ac77d5f1a60abbcb13770d5754e3774d53e6"),
    "nci": (33_553_445, "fc63a31770947b8c2062d3b19ca94c00485a232bb91b502021948fee983e1635"),
    "ooffice": (6_152_192, "e7ee013880d34dd5208283d0d3d91b07f442e067454276095ded14f322a656eb"),
    "osdb": (10_085_684, "60f027179302ca3ad87c58ac90b6be72ec23588aaa7a3b7fe8ecc0f11def3fa3"),
    "reymont": (6_627_202, "0eac0114a3dfe6e2ee1f345a0f79d653cb26c3bc9f0ed79238af4933422b7578"),
    "samba": (21_606_400, "93ba07bc44d8267789c1d911992f40b089ffa2140b4a160fac11ccae9a40e7b2"),
    "sao": (7_251_944, "c2d0ea2cc59d4c21b7fe43a71499342a00cbe530a1d5548770e91ecd6214adcc"),
    "webster": (41_458_703, "6a68f69b26daf09f9dd84f7470368553194a0b294fcfa80f1604efb11143a383"),
    "x-ray": (8_474_240, "7de9fce1405dc44ae5e6813ed21cd5751e761bd4265655a005d39b9685d1c9ad"),
    "xml": (5_345_280, "0e82e54e695c1938e4193448022543845b33020c8be6bf3bf3ead2224903e08c"),
}
"""Size in bytes and SHA-256 of each file in the corpus's archive, as several projects that verify it agree."""


def is_silesia(files: list[Path]) -> bool:
    """Say whether these files are the corpus's twelve, byte for byte, and no other. Raises OSError."""
    sizes = {path.name: path.stat().st_size for path in files}
    if len(files) != len(_FILES) or sizes != {name: size for name, (size, _) in _FILES.items()}:
        return False
    return all(_sha256(path) == _FILES[path.name][1] for path in files)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
