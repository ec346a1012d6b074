// Defines <almanac-calendar src="https://calendar.example.org/embed/month?categories=music"></almanac-calendar>: the
// calendar in a frame that is as high as its content. Without `src`, it is the list of this server; `view` is `list` or
// `month`, and any other attribute is a filter, such as `categories="music"`.

const server = new URL(".", document.currentScript.src);

class AlmanacCalendar extends HTMLElement {
  #frame = document.createElement("iframe");

  connectedCallback() {
    this.#frame.src = this.#address();
    this.#frame.title = this.getAttribute("title") ?? "Calendar";
    this.#frame.style.cssText = "display: block; width: 100%; height: 30rem; border: 0;";
    this.append(this.#frame);
    addEventListener("message", this.#fit);
  }

  disconnectedCallback() {
    removeEventListener("message", this.#fit);
    this.#frame.remove();
  }

  #address() {
    if (this.hasAttribute("src")) return new URL(this.getAttribute("src"), server);
    const view = this.getAttribute("view") === "month" ? "month" : "list";
    const address = new URL(`embed/${view}`, server);
    for (const { name, value } of this.attributes) {
      if (!["view", "title", "class", "id", "style"].includes(name)) address.searchParams.append(name, value);
    }
    return address;
  }

  #fit = (message) => {
    if (message.source !== this.#frame.contentWindow || message.data?.type !== "almanac-height") return;
    const height = Number(message.data.height);
    if (height > 0) this.#frame.style.height = `${height}px`;
  };
}

if (!customElements.get("almanac-calendar")) customElements.define("almanac-calendar", AlmanacCalendar);
