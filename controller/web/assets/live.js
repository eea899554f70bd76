// Keeps a page up to date: follows the events of the API and renews what is
// marked as live, without touching what is the same, where the focus is, what is
// folded out, or a form that somebody fills in.
(() => {
  "use strict";

  const events = document.body.dataset.events;
  const root = document.body.dataset.root;
  const live = document.getElementById("live");
  const liveText = document.getElementById("live-text");
  const announcement = document.getElementById("announce");
  const part = () => document.getElementById("live-part");
  if (!events || !part()) return;

  // How long changes are collected, and how long a page is left alone at most:
  // heights and latencies change without an event.
  const collect = 120, renewal = 10000;

  // The clocks of the browser and of the controller may differ.
  const serverTime = document.getElementById("now").dateTime;
  const offset = Date.parse(serverTime) - Date.now();

  // ---- putting news into the page

  // morph makes an element say what another one says.
  function morph(from, to) {
    if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName) {
      from.replaceWith(document.importNode(to, true));
      return;
    }
    if (from.nodeType !== Node.ELEMENT_NODE) {
      if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
      return;
    }
    if (from.isEqualNode(to) || busy(from)) return;
    for (const { name } of [...from.attributes]) {
      if (!to.hasAttribute(name) && !(name === "open" && from.nodeName === "DETAILS")) from.removeAttribute(name);
    }
    for (const { name, value } of to.attributes) {
      if (from.getAttribute(name) !== value) from.setAttribute(name, value);
    }
    morphChildren(from, to);
  }

  function morphChildren(from, to) {
    const byId = new Map();
    for (const child of from.children) if (child.id) byId.set(child.id, child);
    let here = from.firstChild;
    for (const wanted of to.childNodes) {
      let match = null;
      if (wanted.id) match = byId.get(wanted.id) || null;
      else if (here && !here.id && here.nodeName === wanted.nodeName) match = here;
      if (!match) {
        from.insertBefore(document.importNode(wanted, true), here);
      } else {
        if (match === here) here = here.nextSibling;
        else from.insertBefore(match, here);
        morph(match, wanted);
      }
    }
    while (here) {
      const next = here.nextSibling;
      here.remove();
      here = next;
    }
  }

  // busy says that somebody fills in a form.
  function busy(element) {
    return element.nodeName === "FORM" && (element.contains(document.activeElement) || "edited" in element.dataset);
  }
  document.addEventListener("input", (e) => { if (e.target.form) e.target.form.dataset.edited = ""; });

  // ---- fetching what is new

  async function load(url) {
    const response = await fetch(url, { credentials: "same-origin", cache: "no-store" });
    if (!response.ok) throw new Error(String(response.status));
    return new DOMParser().parseFromString(await response.text(), "text/html");
  }

  async function renewPart() {
    const old = part();
    const next = (await load(old.dataset.live)).getElementById("live-part");
    if (next) morph(old, next);
  }

  async function renewRow(chain) {
    const row = document.getElementById("chain-" + chain);
    if (!row) return;
    const next = (await load(root + "/chains/" + encodeURIComponent(chain) + "?part=row")).getElementById(row.id);
    if (next) {
      // Rows come as the page of all chains has them.
      morph(row, next);
    }
  }

  let wanted = null, running = false, timer = 0;
  // renew asks for news of a chain, or with none of all that is shown.
  function renew(chain) {
    if (!wanted) wanted = new Set();
    wanted.add(chain || "");
    if (!running && !timer) timer = setTimeout(run, collect);
  }

  async function run() {
    timer = 0;
    running = true;
    const chains = wanted;
    wanted = null;
    try {
      const rows = [...chains].filter((c) => c && document.getElementById("chain-" + c));
      if (chains.has("") || rows.length !== chains.size || rows.length > 5) await renewPart();
      else for (const chain of rows) await renewRow(chain);
      freshAt = Date.now();
      show();
      flash();
    } catch {
      show();
    }
    running = false;
    if (wanted) timer = setTimeout(run, collect);
  }

  // ---- following the events

  let source = null, connected = false, freshAt = Date.now();

  function show() {
    const stale = Date.now() - freshAt > 3 * renewal;
    const state = connected && !stale ? "on" : "off";
    const text = state === "on" ? "Live" : "No connection, trying again. Last news at " + clock(freshAt) + " UTC";
    if (liveText.textContent !== text) liveText.textContent = text;
    if (live.className !== "live " + state) live.className = "live " + state;
  }

  const clock = (t) => new Date(t + offset).toISOString().slice(11, 19);

  // known are the generations of the chains, by which switches are told from the
  // greeting that each stream begins with.
  const known = new Map();
  for (const e of document.querySelectorAll("[data-generation]")) known.set(e.dataset.chain, Number(e.dataset.generation));

  function heard(e) {
    let data;
    try { data = JSON.parse(e.data); } catch { return; }
    const before = known.get(data.chain);
    if (e.type === "active") {
      known.set(data.chain, data.generation);
      if (before !== undefined && before !== data.generation) announce(data);
    }
    renew(data.chain);
  }

  function announce(active) {
    announcement.textContent = active.chain + ": " + (active.provider || "nobody") + " serves now. " + active.reason;
    switched.add(active.chain);
  }

  // switched are chains whose rows are to light up once they are renewed.
  const switched = new Set();
  function flash() {
    for (const chain of switched) document.getElementById("chain-" + chain)?.classList.add("changed");
    switched.clear();
  }

  function open() {
    if (source) return;
    source = new EventSource(events);
    source.onopen = () => { connected = true; renew(); show(); };
    source.onerror = () => {
      connected = false;
      show();
      // Where the browser gives up, as when the answer was a refusal, we do not.
      if (source && source.readyState === EventSource.CLOSED) {
        close();
        setTimeout(() => { if (!document.hidden) open(); }, 5000);
      }
    };
    for (const kind of ["active", "status", "alert"]) source.addEventListener(kind, heard);
  }

  function close() {
    if (source) source.close();
    source = null;
  }

  // A browser allows few connections to a server: tabs that nobody sees have none.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else open();
  });
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (e) => { if (e.persisted) open(); });

  // ---- the passing of time

  function age(seconds) {
    const s = Math.max(0, Math.floor(seconds)), two = (n) => String(n).padStart(2, "0");
    if (s < 60) return s + "s";
    if (s < 3600) return Math.floor(s / 60) + "m" + two(Math.floor(s % 60)) + "s";
    if (s < 86400) return Math.floor(s / 3600) + "h" + two(Math.floor(s / 60) % 60) + "m";
    return Math.floor(s / 86400) + "d" + two(Math.floor(s / 3600) % 24) + "h";
  }

  setInterval(() => {
    if (document.hidden) return;
    const now = Date.now() + offset;
    for (const e of document.querySelectorAll("time.age")) {
      const text = age((now - Date.parse(e.dateTime)) / 1000);
      if (e.textContent !== text) e.textContent = text;
    }
    show();
  }, 1000);
  setInterval(() => { if (!document.hidden) renew(); }, renewal);
  if (!document.hidden) open();
})();
