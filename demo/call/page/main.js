import { browserMedia, Calls, iceServers } from "@signalbox/client";
import { readSetting, signIn } from "./account.js";
import { stateOf } from "./call-state.js";
import { $, showFacts, showPeople, showState, showStatus, showSwitch } from "./view.js";
import { openXmppSignalling } from "./xmpp-signalling.js";

/** @import { Call, CallState } from "@signalbox/client" */
/** @import { Account, Person, Setting } from "./account.js" */
/** @import { State } from "./call-state.js" */
/** @import { Transport } from "./xmpp-signalling.js" */

// ?user=ann selects the user, ?protocol=xmpp the protocol; ?relay forces media through a TURN server.
const query = new URLSearchParams(location.search);

/** Interval between two updates of the duration, in milliseconds. */
const CLOCK_MS = 1_000;
const SWITCHES = /** @type {const} */ ([
  ["mute", "audio"],
  ["camera", "video"],
]);

/** Shows the users of the demo; selecting one fills in login and password. @param {Setting} setting */
function offerUsers({ people }) {
  const selected = people.find(({ login }) => login === query.get("user")) ?? people[0];
  for (const person of people) {
    const label = document.createElement("label");
    const radio = Object.assign(document.createElement("input"), { type: "radio", name: "user" });
    radio.checked = person === selected;
    radio.addEventListener("change", () => fill(person));
    label.append(radio, person.name.split(" ")[0] ?? "");
    $("users").append(label);
  }
  if (selected) fill(selected);
  const protocol = query.get("protocol");
  if (protocol)
    $("sign-in")
      .querySelector(`[value="${CSS.escape(protocol)}"]`)
      ?.setAttribute("checked", "");

  /** @param {{ login: string, password: string }} person */
  function fill({ login, password }) {
    /** @type {HTMLInputElement} */ ($("login")).value = login;
    /** @type {HTMLInputElement} */ ($("password")).value = password;
  }
}

/** Signs in, connects with the selected protocol and waits for calls. @param {Setting} setting */
async function enter(setting) {
  const form = new FormData(/** @type {HTMLFormElement} */ ($("sign-in")));
  const relayOnly = query.has("relay");
  const [login, password] = [String(form.get("login")), String(form.get("password"))];
  const account = await signIn(setting, login, password, relayOnly);
  const { signalbox, me, people } = account;
  const protocol = form.get("protocol") === "xmpp" ? "xmpp" : "graphql";
  /** @type {{ calls: Calls, transport: Transport }} */
  const { calls, transport } =
    protocol === "xmpp"
      ? await openXmppCalls(setting, account, relayOnly)
      : { calls: signalbox.calls, transport: signalbox.signals };
  const phone = new Phone(calls, people);
  const close = () => {
    phone.close();
    transport.close();
    signalbox.close();
  };
  transport.on("status", (status) => {
    showStatus(status, protocol);
    // Return to the sign-in form, unless a call is in progress: its media needs no signalling.
    if (status === "ended" && !calls.current) {
      close();
      leave("You have been signed out.");
    }
  });
  let isSigningOut = false;
  signalbox.session.on("ended", ({ message }) => {
    const isOut = document.body.dataset.view === "sign-in";
    if (isOut && !isSigningOut) showError(`You have been signed out: ${message}`);
  });
  phone.open();
  $("me-name").textContent = me.name;
  /** @type {HTMLElement} */ (document.querySelector(".me")).hidden = false;
  const [other] = people;
  if (other) $("other-tab").setAttribute("href", `?user=${encodeURIComponent(other.login)}`);
  showPeople(people, (person, callType) => phone.dial(person, callType === "VIDEO"));
  $("sign-out").onclick = () => {
    isSigningOut = true;
    phone.close();
    transport.close();
    // If the server is unreachable, the session expires.
    void signalbox.session
      .end()
      .catch(() => undefined)
      .finally(() => signalbox.close());
    leave("");
  };
}

/** Calls whose signals travel over XMPP. @param {Setting} setting @param {Account} account @param {boolean} relayOnly */
async function openXmppCalls({ chatUrl, chatDomain, applicationId }, account, relayOnly) {
  const { signalbox, me } = account;
  const { session } = signalbox;
  const transport = openXmppSignalling({
    url: chatUrl,
    domain: chatDomain,
    applicationId,
    userId: me.id,
    token: await session.token(),
  });
  const calls = new Calls({
    signals: transport,
    userId: async () => me.id,
    iceServers: () => iceServers(session),
    media: browserMedia(),
    relayOnly,
  });
  return { calls, transport };
}

/** Shows the calls of a user and wires the buttons. */
class Phone {
  #calls;
  #people;
  /** The call that is shown; an ended one until the user goes back. @type {Call | null} */
  #call = null;
  /** @type {CallState} */
  #before = "calling";
  /** @type {(() => void)[]} */
  #stop = [];

  /** @param {Calls} calls @param {Person[]} people */
  constructor(calls, people) {
    this.#calls = calls;
    this.#people = people;
  }

  open() {
    const clock = setInterval(() => {
      if (this.#call?.state === "connected") showFacts(this.#state(), null);
    }, CLOCK_MS);
    this.#stop = [
      this.#calls.on("change", () => this.#follow(this.#calls.current)),
      () => clearInterval(clock),
    ];
    $("accept").onclick = () => void this.#call?.accept().catch(() => {});
    $("reject").onclick = () => this.#call?.reject();
    $("hang-up").onclick = () => this.#call?.hangUp();
    $("back").onclick = () => {
      if (this.#call?.state === "ended") this.#call = null;
      this.#show();
    };
    $("again").onclick = () => {
      const { person, callType } = this.#state();
      if (person) this.dial(person, callType === "VIDEO");
    };
    for (const [id, kind] of SWITCHES) {
      $(id).onclick = () => {
        const off = $(id).getAttribute("aria-pressed") !== "true";
        this.#call?.setMuted(kind, off);
        showSwitch(id, off);
      };
    }
    this.#show();
  }

  /** Calls a user; how it goes is shown. @param {Person} person @param {boolean} video */
  dial(person, video) {
    this.#calls.start({ users: [person.id], video }).catch((error) => console.info(error.message));
  }

  close() {
    for (const stop of this.#stop) stop();
    this.#calls.close();
  }

  /** @param {Call | null} call a new call; null once the present one has ended */
  #follow(call) {
    if (!call || call === this.#call) return;
    this.#call = call;
    this.#before = call.state;
    let state = call.state;
    call.on("state", (now) => {
      this.#before = state;
      state = now;
    });
    call.on("change", () => this.#show());
    call.on("statistics", (figures) => {
      const [figure] = figures.values();
      if (figure?.path) showFacts(this.#state(), figure.path);
    });
    this.#show();
  }

  #show() {
    const [other] = this.#call?.participants ?? [];
    showState(this.#state(), this.#call?.localStream ?? null, other?.stream ?? null);
  }

  /** @returns {State} */
  #state() {
    const call = this.#call;
    if (!call) return { name: "idle" };
    const [{ userId: id } = { userId: "" }] = call.participants;
    const person = this.#people.find((each) => each.id === id);
    return stateOf(call, this.#before, person ?? { id, login: "", name: `User ${id}` });
  }
}

/** Returns to the sign-in form. @param {string} reason shown to the user if it is not empty */
function leave(reason) {
  document.body.dataset.view = "sign-in";
  /** @type {HTMLElement} */ (document.querySelector(".me")).hidden = true;
  for (const section of document.querySelectorAll("[data-for]")) {
    /** @type {HTMLElement} */ (section).hidden = !section.matches('[data-for="sign-in"]');
  }
  showError(reason);
}

/** @param {string} reason hides the error if it is empty */
function showError(reason) {
  $("sign-in-error").hidden = reason === "";
  $("sign-in-error").textContent = reason;
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));

try {
  const setting = await readSetting();
  offerUsers(setting);
  $("sign-in").addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ ($("sign-in-button"));
    button.disabled = true;
    showError("");
    await enter(setting).catch((error) => showError(messageOf(error)));
    button.disabled = false;
  });
} catch (error) {
  showError(messageOf(error));
}
