import type { Call, Signalbox } from "../../../client/src/index.ts";

/** What a page with the package has, as `window`. */
export interface PackagePage {
  load(path: string): Promise<typeof import("../../../client/src/index.ts")>;
  signalbox: Signalbox;
  /** The last call that rang here; it was accepted. */
  incoming: Call | null;
  rung: number;
}

/** Opens the package in a page, where every call is accepted. It runs in the page. */
export async function openPackage({ url, token }: { url: string; token: string }): Promise<void> {
  const page = window as unknown as PackagePage;
  const { createSignalbox } = await page.load("/packages/@signalbox/client/index.js");
  const signalbox = createSignalbox({ url, session: () => token });
  page.signalbox = signalbox;
  page.incoming = null;
  page.rung = 0;
  signalbox.calls.on("incoming", (call) => {
    page.incoming = call;
    page.rung += 1;
    void call.accept();
  });
  await new Promise<void>((resolve) => {
    signalbox.signals.on("status", (status) => status === "online" && resolve());
  });
}

/** Counters of what is open in a page; see {@link countOpen}. */
export interface OpenObjects {
  connections: number;
  tracks: number;
  timers: number;
  intervals: number;
  listeners: number;
}

/** Counts what a page opens and closes, from before its first script. It runs in the page. */
export function countOpen(): void {
  const open = { connections: new Set(), timers: new Set(), intervals: new Set() };
  const tracks = new Set<MediaStreamTrack>();
  let listeners = 0;
  const { RTCPeerConnection: Platform } = window;
  window.RTCPeerConnection = class extends Platform {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      open.connections.add(this);
    }
    override close() {
      super.close();
      open.connections.delete(this);
    }
  };
  const devices = navigator.mediaDevices;
  const capture = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (constraints) => {
    const stream = await capture(constraints);
    for (const track of stream.getTracks()) tracks.add(track);
    return stream;
  };
  const { setTimeout: later, clearTimeout: cancel } = window;
  const { setInterval: repeat, clearInterval: stop } = window;
  const timers = {
    setTimeout: (act: () => void, ms?: number) => {
      const id = later(() => {
        open.timers.delete(id);
        act();
      }, ms);
      open.timers.add(id);
      return id;
    },
    clearTimeout: (id: number) => {
      open.timers.delete(id);
      cancel(id);
    },
    setInterval: (act: () => void, ms?: number) => {
      const id = repeat(act, ms);
      open.intervals.add(id);
      return id;
    },
    clearInterval: (id: number) => {
      open.intervals.delete(id);
      stop(id);
    },
  };
  for (const target of [window, document]) {
    const add = target.addEventListener.bind(target);
    const remove = target.removeEventListener.bind(target);
    Object.assign(target, {
      addEventListener: (name: string, listener: EventListener) => {
        listeners += 1;
        add(name, listener);
      },
      removeEventListener: (name: string, listener: EventListener) => {
        listeners -= 1;
        remove(name, listener);
      },
    });
  }
  Object.assign(window, timers, {
    openObjects: (): OpenObjects => ({
      connections: open.connections.size,
      tracks: [...tracks].filter(({ readyState }) => readyState === "live").length,
      timers: open.timers.size,
      intervals: open.intervals.size,
      listeners,
    }),
  });
}
