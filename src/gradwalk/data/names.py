"""A small list of given names, and the reader of longer ones, for models of characters.

>>> len(NAMES), NAMES[0], NAMES[-1]
(314, 'abel', 'zora')
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ..errors import DataError

__all__ = ["NAMES", "read_names"]

_LIST = """
    abel ada adela adrian agnes aida alan alba alena alice alina alma alvin amalia amanda amber
    amos ana andrea anita anna anton arlo arne arthur astrid august aurora axel barbara basil bela
    bella benno berta bianca boris bruno calvin camilla carina carla carlo carmen cecilia celia
    chiara clara claudia clemens cora cornelia cyril dagmar dalia damian dana daniel daria david
    debora delia denis diana dina dirk dolores donna dora dorian edda edgar edith edwin elena elias
    elisa ella elmar elsa elvira emil emilia emma enno enrico erica erik erin ernst esther eva
    evelin fabian fanny felix fiona flora florian franca frank frida fritz gemma georg gerda gilda
    gina gloria greta gustav hagen hanna hanno harald hedda helen helga henri hilda holger hugo
    ian ida igor ilse imelda ina ines inga ingrid ira irene iris irma isa isabel ivan ivo jakob jan
    jana janina janis jarno jens jill joan joel johan jolanda jonas jorin josef judith julia julian
    juno kai karen karin karl karla katja kilian kim kira klara klaus konrad kora kurt lara larissa
    lars laura lea leif lena leo leona leonard lia liam lidia lilian lina linda linus lisa lorena
    lorin louis lucia luis luna lydia magda malin manuel mara marco margot maria marian marina
    mario marisa marlon marta martin matilda maura maurice max melina merle mia milan milena mina
    miranda miriam mona monica moritz nadia nadine naomi natalie nelly nico nils nina noah noel
    nora norbert norma odette olaf olga oliver olivia oscar otto palina patrick paul paula pedro
    petra pia quentin rahel ralf ramona raul regina renata rita robert robin roland roman rosa
    rosalie ruben ruth sabina salome samuel sandra sara selma serena silas silvia simon sofia sonja
    stella susan sven tamara tanja tara teresa theo thomas tilda tim timo tobias ulla ulrich una
    urban ursula valerie vera victor viola vita walter wanda wendel wilma xaver yara yvonne zeno
    zita zora
"""
NAMES = _LIST.split()
"""Given names in use, in lower case, each once."""


def read_names(path: str | PathLike[str]) -> list[str]:
    """Return the lines of a file, in lower case, without empty ones and repetitions.

    Raise `DataError` for a file with fewer than two different names, one that is not UTF-8, and
    one that cannot be read.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").lower().splitlines()
    except UnicodeDecodeError as error:
        raise _not_names(path, "bytes that are not UTF-8", "Save the text in UTF-8.") from error
    except OSError as error:
        got = f"the error {error.strerror or str(error)!r}"
        raise _not_names(path, got, "Check the path of the file.") from error
    names = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if len(names) < 2:
        fix = "Pass a file with more names: some are held out, and a good model needs hundreds."
        raise _not_names(path, f"{len(names)}", fix)
    return names


def _not_names(path: str | PathLike[str], got: str, fix: str) -> DataError:
    return DataError(
        where=str(path),
        expected="a text file with at least two different names, one on each line",
        got=got,
        fix=fix,
    )
