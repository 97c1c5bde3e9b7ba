"""A made-up support agent, turn by turn: what `holdfast demo` runs. No model is called; every run is the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

State = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one step adds: a message, and the plan after it. `acts` are its side effects."""

    node: str
    next: tuple[str, ...]
    role: str
    content: str
    plan: tuple[str, ...]
    status: str = "running"
    acts: tuple[str, ...] = ()

    def apply(self, state: State) -> State:
        """The state after this turn."""
        message = {"role": self.role, "name": self.node, "content": self.content}
        return {**state, "messages": [*state["messages"], message], "plan": _plan(*self.plan)}


def _plan(*tasks: str) -> list[State]:
    return [{"task": task.removeprefix("+ "), "done": task.startswith("+ ")} for task in tasks]


def states(start: State, turns: Iterable[Turn]) -> list[State]:
    """The state after each turn."""
    return list(accumulate(turns, lambda state, turn: turn.apply(state), initial=start))[1:]


THREAD = "support/42"
START: State = {"customer": {"id": "C-1815", "name": "Ada", "tier": "gold"}, "messages": [], "plan": []}

_GOODS = (("rope, 60 m", 18900), ("harness, size M", 7450), ("carabiner, screw gate", 1295), ("helmet, white", 6900))
_ORDER = "\n".join(
    f"line {n}: sku HF-{4100 + 37 * n}, {what}, quantity 1, {cents / 100:.2f} EUR, warehouse {'AB'[n % 2]}"
    for n, (what, cents) in enumerate(_GOODS, 1)
)
_EARLIER = "\n".join(
    f"order {20401 - 211 * n}, placed {2024 - n // 12}-{12 - n % 12:02d}-{1 + 7 * n % 28:02d}, {_GOODS[n % 4][0]}, "
    f"{_GOODS[n % 4][1] / 100:.2f} EUR, delivered after {2 + n % 3} days, {'returned' if n % 9 == 4 else 'kept'}"
    for n in range(48)
)

_PLACES = ("Rotterdam hub", "Venlo sorting centre", "Cologne hub", "Kassel sorting centre", "Leipzig depot")
_EVENTS = ("arrived", "scanned", "sorted by size and weight", "loaded", "departed", "delayed: road closed")
_TRACKING = "\n".join(
    f"2025-03-{4 + n // 16:02d}T{6 + n % 16:02d}:{17 * n % 60:02d}Z event={7000 + n} place={_PLACES[n // 16]!r} "
    f"what={_EVENTS[n % 6]!r} vehicle=NL-{311 + 5 * (n // 8)} weight_g=4820 scanner=S{n % 7} signature=none"
    for n in range(80)
)

_POLICY = "\n".join(
    f"{n}. {rule}"
    for n, rule in enumerate(
        [
            "A parcel without a scan for five working days counts as lost, whatever the carrier's page says.",
            "For a lost parcel the customer chooses: a replacement if every line is in stock, or the money back.",
            "Gold customers get replacements by express, without waiting for the carrier's answer.",
            "Refunds go to the card that paid. Above 400 EUR a second person has to approve the refund.",
            "The customer is told what was decided, when it happens, and what to do if the old parcel turns up.",
        ],
        1,
    )
)

_SEEN = ("+ look up the order", "+ read the tracking events", "+ check the policy")

ORIGINAL = (
    Turn(
        "input",
        ("model",),
        "user",
        "Hello, my order 20417 should have been here last week. The tracking page has said 'in transit' since Thursday "
        "and I leave for the mountains on Saturday. I need the rope and the harness by then, or I have to buy them in "
        "a shop. Can you find out where the parcel is, and tell me what my choices are? Thanks, Ada",
        (),
    ),
    Turn(
        "model",
        ("tool",),
        "assistant",
        "The customer asks where order 20417 is and needs two of its items by Saturday. I will look up the order, read "
        "the carrier's events, and check what our policy allows before I promise anything.",
        ("look up the order", "read the tracking events", "check the policy", "answer"),
    ),
    Turn(
        "tool",
        ("tool",),
        "tool",
        f"order 20417, placed 2025-03-02, paid by card, shipped 2025-03-04\n{_ORDER}\nearlier orders\n{_EARLIER}",
        ("+ look up the order", "read the tracking events", "check the policy", "answer"),
    ),
    Turn(
        "tool",
        ("tool",),
        "tool",
        f"parcel 00340434161094042557, 80 events\n{_TRACKING}",
        ("+ look up the order", "+ read the tracking events", "check the policy", "answer"),
    ),
    Turn(
        "tool",
        ("model",),
        "tool",
        f"policy: parcels that do not arrive\n{_POLICY}",
        (*_SEEN, "choose a remedy", "answer"),
    ),
    Turn(
        "model",
        ("tool",),
        "assistant",
        "The last scan was in Leipzig and nothing has moved since, so the parcel counts as lost under rule 1. Rule 2 "
        "leaves the choice to the customer; she did not say which she wants, and the money is the quickest way for her "
        "to buy the rope elsewhere. I will refund the order. It is below 400 EUR, so no one else has to approve it.",
        (*_SEEN, "refund the order", "answer"),
    ),
    Turn(
        "tool",
        ("model",),
        "tool",
        "refund R-7731: 345.45 EUR to card ending 4242, accepted, expected on the account in 3 to 5 working days; "
        "receipt B-2210 filed with accounting",
        (*_SEEN, "+ refund the order", "answer"),
        acts=("refund", "receipt"),
    ),
    Turn(
        "model",
        ("tool",),
        "assistant",
        "Dear Ada, I am sorry. Your parcel was last seen in Leipzig and we count it as lost. I have refunded the whole "
        "order, 345.45 EUR, to your card; it should be on your account in three to five working days. If the parcel "
        "does turn up, please refuse it or write to us, and we will have it collected. I wish you a good climb.",
        (*_SEEN, "+ refund the order", "answer"),
    ),
    Turn(
        "tool",
        ("model",),
        "tool",
        "mail to customer C-1815: queued as M-90233, delivered to the customer's mail server, no bounce",
        (*_SEEN, "+ refund the order", "+ answer"),
        acts=("mail",),
    ),
    Turn(
        "model",
        (),
        "assistant",
        "The refund is accepted and the customer has been told. Nothing is left to do on this thread.",
        (*_SEEN, "+ refund the order", "+ answer"),
        "completed",
    ),
)

DIES_IN = "receipt"
REWIND_TO = 4

EDITS: State = {"plan": _plan(*_SEEN, "send a replacement by express", "answer")}

RETRY = (
    Turn(
        "model",
        ("tool",),
        "assistant",
        "The parcel counts as lost. The customer needs the rope and the harness on Saturday, and gold customers get a "
        "replacement by express, so a replacement serves her better than money that arrives next week.",
        (*_SEEN, "send a replacement by express", "answer"),
    ),
    Turn(
        "tool",
        ("model",),
        "tool",
        "replacement 20417-R: 4 of 4 lines in stock, express, leaves today, delivery Friday before noon",
        (*_SEEN, "+ send a replacement by express", "answer"),
        acts=("replacement",),
    ),
    Turn(
        "model",
        (),
        "assistant",
        "Dear Ada, I am sorry. Your parcel was last seen in Leipzig and we count it as lost. A replacement of the "
        "whole order leaves today by express and reaches you on Friday before noon, in time for Saturday. If the old "
        "parcel turns up, please refuse it. I wish you a good climb.",
        (*_SEEN, "+ send a replacement by express", "+ answer"),
        "completed",
    ),
)

RETRIED = (*ORIGINAL[: REWIND_TO + 1], *RETRY)
"""The turns of the fork, including the history that it shares."""
