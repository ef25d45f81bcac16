import { readSetting, signIn } from "./account.js";
import { openGraphqlSignalling } from "./graphql-signalling.js";
import { Phone } from "./phone.js";
import { $, showFacts, showLine, showPeople, showState, showSwitch } from "./view.js";
import { openXmppSignalling } from "./xmpp-signalling.js";

/** @import { Person, Setting } from "./account.js" */
/** @import { Listener } from "./signalling.js" */

// ?user=ann chooses who signs in, ?door=xmpp over what, ?relay sends media through a TURN server alone.
const asked = new URLSearchParams(location.search);

/** Milliseconds between two looks at which way the media goes. */
const FACTS_MS = 1_000;

/** Offers the users of the demo: a click fills in login and password. @param {Setting} setting */
function offerUsers({ people }) {
  const wanted = people.find(({ login }) => login === asked.get("user")) ?? people[0];
  for (const person of people) {
    const label = document.createElement("label");
    const radio = Object.assign(document.createElement("input"), { type: "radio", name: "user" });
    radio.checked = person === wanted;
    radio.addEventListener("change", () => fill(person));
    label.append(radio, person.name.split(" ")[0] ?? "");
    $("users").append(label);
  }
  if (wanted) fill(wanted);
  const door = asked.get("door");
  if (door)
    $("sign-in")
      .querySelector(`[value="${CSS.escape(door)}"]`)
      ?.setAttribute("checked", "");

  /** @param {{ login: string, password: string }} person */
  function fill({ login, password }) {
    /** @type {HTMLInputElement} */ ($("login")).value = login;
    /** @type {HTMLInputElement} */ ($("password")).value = password;
  }
}

/** Signs in, connects the chosen door and hands the page over to the phone. @param {Setting} setting */
async function enter(setting) {
  const form = new FormData(/** @type {HTMLFormElement} */ ($("sign-in")));
  const account = await signIn(setting, String(form.get("login")), String(form.get("password")));
  const people = await account.people();
  /** @param {number} id @returns {Person} */
  const whoIs = (id) =>
    people.find((each) => each.id === id) ?? { id, login: "", name: `User ${id}` };

  const door = form.get("door") === "xmpp" ? "xmpp" : "graphql";
  /** @type {Listener} */
  const listener = {
    onSignal: (signal) => phone.take(signal),
    onRefused(signal, reason) {
      console.warn(`${signal.signalType} was refused: ${reason}`);
      phone.refused(signal, reason);
    },
    onLine(line) {
      showLine(line, door);
      // Whoever was signed out elsewhere begins anew; a call that is under way needs no signals.
      if (line === "ended" && phone.state.name === "idle") leave("You have been signed out.");
    },
  };
  const { graphqlUrl, chatUrl, chatDomain, applicationId } = setting;
  const who = { userId: account.me.id, token: account.token };
  const line =
    door === "xmpp"
      ? openXmppSignalling({ url: chatUrl, domain: chatDomain, applicationId, ...who }, listener)
      : openGraphqlSignalling({ url: graphqlUrl, ...who }, listener);
  const phone = new Phone({
    ...{ line, whoIs, userId: account.me.id, iceServers: account.iceServers },
    relayOnly: asked.has("relay"),
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
    line.close();
    // The token ends by itself when the server cannot be reached.
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
  // Another network: the old ways may be dead before anybody notices.
  addEventListener("online", () => void phone.restart());
  addEventListener("pagehide", () => phone.hangUp());
  setInterval(async () => {
    if (phone.state.name === "talking") showFacts(phone.state, (await phone.call?.path()) ?? null);
  }, FACTS_MS);
}

/** Back to the start, with the reason. @param {string} reason */
function leave(reason) {
  document.body.dataset.view = "sign-in";
  /** @type {HTMLElement} */ (document.querySelector(".me")).hidden = true;
  for (const section of document.querySelectorAll("[data-for]")) {
    /** @type {HTMLElement} */ (section).hidden = !section.matches('[data-for="sign-in"]');
  }
  complain(reason);
}

/** @param {string} reason nothing to complain about when it is empty */
function complain(reason) {
  $("sign-in-error").hidden = reason === "";
  $("sign-in-error").textContent = reason;
}

/** @param {unknown} error */
const inWords = (error) => (error instanceof Error ? error.message : String(error));

try {
  const setting = await readSetting();
  offerUsers(setting);
  $("sign-in").addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ ($("sign-in-button"));
    button.disabled = true;
    complain("");
    await enter(setting).catch((error) => complain(inWords(error)));
    button.disabled = false;
  });
} catch (error) {
  complain(inWords(error));
}
