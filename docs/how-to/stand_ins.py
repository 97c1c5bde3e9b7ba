"""What durable_agent.py calls, without a network: put your own model, tools and payment service here."""

import time
from pathlib import Path


def model(messages):
    """Stands in for a language model: it asks for two tools, and answers when it has their results."""
    if messages[-1]["role"] == "user":
        return {"role": "assistant", "content": "I look it up and refund it.", "calls": ["look_up", "refund"]}
    return {"role": "assistant", "content": f"Sorry! {messages[-2]['content']}; {messages[-1]['content']}", "calls": []}


def look_up(key):
    return "order 7 is lost"


def refund(key):
    """Stands in for a payment service: it is given the key, and pays once for each."""
    paid = Path("payments.txt")
    if not paid.exists() or key not in paid.read_text().split():
        with paid.open("a") as file:
            file.write(key + "\n")
    time.sleep(1)  # the money has moved, and we do not know it yet: the worst moment to be killed
    return "345 EUR refunded"


TOOLS = {"look_up": look_up, "refund": refund}
