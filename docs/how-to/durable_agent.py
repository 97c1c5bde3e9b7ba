"""A support agent that may be killed at any moment: python durable_agent.py [yes | no | retry]"""

import sys

from stand_ins import TOOLS, model

import holdfast


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
    return f"{thread.id} {thread.latest().status}: {thread.latest().state['messages'][-1]['content']}"


if __name__ == "__main__":
    with holdfast.open("agents.db") as store:
        thread, word = store.thread("support/42"), "".join(sys.argv[1:])
        if word == "retry":  # from the question, in a fork; what was paid stays paid
            print(agent(thread.fork(at=thread.at(step=0).id, to="support/42-retry")))
        elif word:
            print(agent(thread, resume=word == "yes"))
        else:
            print(agent(thread, input={"messages": [{"role": "user", "content": "Where is my order 7?"}]}))
