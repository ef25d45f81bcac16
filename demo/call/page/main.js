import { readSetting, signIn } from "./account.js";
import { openGraphqlSignalling } from "./graphql-signalling.js";
import { Phone } from "./phone.js";
import { $, showFacts, showPeople, showState, showStatus, showSwitch } from "./view.js";
import { openXmppSignalling } from "./xmpp-signalling.js";

/** @import { Person, Setting } from "./account.js" */
/** @import { Listener } from "./signalling.js" */

// ?user=ann selects the user, ?protocol=xmpp the protocol; ?relay forces media through a TURN server.
const query = new URLSearchParams(location.search);

/** Interval between two updates of the media path and the duration, in milliseconds. */
const FACTS_MS = 1_000;

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

/** Signs in, connects with the selected protocol and starts the phone. @param {Setting} setting */
async function enter(setting) {
  const form = new FormData(/** @type {HTMLFormElement} */ ($("sign-in")));
  const account = await signIn(setting, String(form.get("login")), String(form.get("password")));
  const people = await account.people();
  /** @param {string} id @returns {Person} */
  const findPerson = (id) =>
    people.find((each) => each.id === id) ?? { id, login: "", name: `User ${id}` };

  const protocol = form.get("protocol") === "xmpp" ? "xmpp" : "graphql";
  /** @type {Listener} */
  const listener = {
    onSignal: (signal) => phone.handle(signal),
    onRejected(signal, reason) {
      console.warn(`${signal.signalType} was rejected: ${reason}`);
      phone.handleRejection(signal, reason);
    },
    onStatus(status) {
      showStatus(status, protocol);
      // Return to the sign-in form, unless a call is in progress: its media needs no signalling.
      if (status === "ended" && phone.state.name === "idle") leave("You have been signed out.");
    },
  };
  const { graphqlUrl, chatUrl, chatDomain, applicationId } = setting;
  const user = { userId: account.me.id, token: account.token };
  const signalling =
    protocol === "xmpp"
      ? openXmppSignalling({ url: chatUrl, domain: chatDomain, applicationId, ...user }, listener)
      : openGraphqlSignalling({ url: graphqlUrl, ...user }, listener);
  const phone = new Phone({
    signalling,
    findPerson,
    userId: account.me.id,
    iceServers: account.iceServers,
    relayOnly: query.has("relay"),
  });

  const show = () => showState(phone.state, phone.media.stream, phone.call?.remote ?? null);
  phone.addEventListener("change", show);
  $("me-name").textContent = account.me.name;
  /** @type {HTMLElement} */ (document.querySelector(".me")).hidden = false;
  const [other] = people;
  if (other) $("other-tab").setAttribute("href", `?user=${encodeURIComponent(other.login)}`);
  showPeople(people, (person, callType) => void phone.dial(person, callType));
  wire(phone);
  $("sign-out").onclick = () => {
    signalling.close();
    // If the server is unreachable, the session expires.
    void account.signOut().catch(() => undefined);
    leave("");
  };
  show();
}

/** @param {Phone} phone */
function wire(phone) {
  $("accept").onclick = () => void phone.accept();
  $("reject").onclick = () => phone.reject();
  $("hang-up").onclick = () => phone.hangUp();
  $("back").onclick = () => phone.clear();
  $("again").onclick = () => {
    const { person, callType } = phone.state;
    if (person && callType) void phone.dial(person, callType);
  };
  for (const [id, kind] of /** @type {const} */ ([
    ["mute", "audio"],
    ["camera", "video"],
  ])) {
    $(id).onclick = () => {
      const off = $(id).getAttribute("aria-pressed") !== "true";
      phone.enable(kind, !off);
      showSwitch(id, off);
    };
  }
  // After a network change the old connection may already be dead.
  addEventListener("online", () => void phone.restart());
  addEventListener("pagehide", () => phone.hangUp());
  setInterval(async () => {
    if (phone.state.name === "talking") showFacts(phone.state, (await phone.call?.path()) ?? null);
  }, FACTS_MS);
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
