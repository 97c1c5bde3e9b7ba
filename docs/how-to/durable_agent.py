"""A support agent that may be killed at any moment: python durable_agent.py [yes | no]"""

import sys
import time
from pathlib import Path

import holdfast


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


def agent(thread, **start):
    with thread.run(ttl=2, wait=10, **start) as run:
        while run.state["messages"][-1].get("calls") != []:
            messages = list(run.state["messages"])
            reply = run.step("model", model, messages, idempotent=True)
            messages.append(reply)
            for tool in reply["calls"]:
                key = f"{thread.id}/{len(messages)}/{tool}"
                if tool == "refund" and not run.interrupt("refund 345 EUR?"):
                    result = "a person declined the refund"
                else:
                    result = run.step(tool, TOOLS[tool], key, key=key)
                messages.append({"role": "tool", "content": result})
            run.save({"messages": messages}, node="turn")


if __name__ == "__main__":
    with holdfast.open("agents.db") as store:
        thread = store.thread("support/42")
        question = {"messages": [{"role": "user", "content": "Where is my order 7?"}]}
        agent(thread, **({"resume": sys.argv[1] == "yes"} if sys.argv[1:] else {"input": question}))
        print(thread.latest().status, "-", thread.latest().state["messages"][-1]["content"])
