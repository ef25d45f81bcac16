"""A chat client on slixmpp, with commands and events as JSON lines."""

import asyncio
import json
import sys

from slixmpp import ClientXMPP
from slixmpp.xmlstream import ET
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath

NS = "{jabber:client}"


def emit(**event):
    print(json.dumps(event), flush=True)


class Client(ClientXMPP):
    def __init__(self, options):
        super().__init__(options["jid"], options["secret"])
        self.ca_certs = options["ca"]
        self.register_plugin("xep_0199")
        self.add_event_handler("session_start", self.started)
        # slixmpp emits the event "message" only for messages with a body.
        calls = MatchXPath(f"{NS}message/{NS}extraParams")
        self.register_handler(Callback("calls", calls, self.on_signal))
        self.add_event_handler("failed_auth", lambda _: emit(event="refused"))
        self.add_event_handler("disconnected", lambda _: emit(event="left"))

    async def started(self, _event):
        self.send_presence()
        await self.get_roster()
        emit(event="started", jid=str(self.boundjid))

    def on_signal(self, message):
        params = message.xml.find(f"{NS}extraParams")
        text = {child.tag.replace(NS, ""): child.text for child in params}
        emit(event="signal", sender=str(message["from"]), id=message["id"], params=text)

    def call(self, to, params):
        message = self.make_message(mto=to, mtype="headline")
        extra = ET.SubElement(message.xml, f"{NS}extraParams")
        for name, text in params.items():
            ET.SubElement(extra, f"{NS}{name}").text = text
        message.send()

    async def ping(self):
        await self["xep_0199"].ping(self.boundjid.domain, timeout=5)
        emit(event="pong")


async def run_commands(client):
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command = json.loads(line)
        if command["do"] == "call":
            client.call(command["to"], command["params"])
        elif command["do"] == "ping":
            await client.ping()
        else:
            await client.disconnect(wait=2)
            return


options = json.loads(sys.stdin.readline())
client = Client(options)
address = (options["host"], options["port"])
client.connect(address, use_ssl=options["tls"], force_starttls=not options["tls"])
client.loop.run_until_complete(run_commands(client))
