"""Every family, in the order in which a class is tried: an enum may be an int, and a dataclass may be a dict."""

from holdfast.codec.builtins import SUBCLASSES
from holdfast.codec.enums import Enums
from holdfast.codec.models import Models
from holdfast.codec.objects import families
from holdfast.codec.records import Attrs, Dataclasses, NamedTuples, Structs
from holdfast.codec.slots import SlotClasses

families[:] = [SlotClasses(), Enums(), NamedTuples(), Structs(), Models(), *SUBCLASSES, Dataclasses(), Attrs()]
