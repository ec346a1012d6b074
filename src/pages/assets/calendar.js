// Additions to pages: the visitor's own time beside that of the event, and buttons that copy.

/** Shows the time in the visitor's zone, where the offset from UTC differs. */
function addOwnTime(element) {
  const written = element.getAttribute("datetime");
  const date = new Date(written);
  const offset = written.match(/([+-])(\d\d):(\d\d)$/);
  if (!offset || isNaN(date)) return;
  const minutes = (Number(offset[2]) * 60 + Number(offset[3])) * (offset[1] === "-" ? -1 : 1);
  if (minutes === -date.getTimezoneOffset()) return;
  const sameDay = written.slice(8, 10) === String(date.getDate()).padStart(2, "0");
  const format = sameDay ? { timeStyle: "short" } : { weekday: "short", hour: "2-digit", minute: "2-digit" };
  const text = new Intl.DateTimeFormat(document.documentElement.lang, format).format(date);
  const own = document.createElement("span");
  own.className = "own-time";
  own.textContent = ` (${text} ${document.body.dataset.yourTime})`;
  element.after(own);
}

/** Shows a button that copies the text of the field beside it. */
function enableCopy(button) {
  const field = button.parentElement.querySelector("input, textarea");
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    await navigator.clipboard.writeText(field.value);
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}

document.querySelectorAll("time[data-local]").forEach(addOwnTime);
// Browsers let only secure pages write to the clipboard.
if (navigator.clipboard) document.querySelectorAll("button[data-copied]").forEach(enableCopy);
