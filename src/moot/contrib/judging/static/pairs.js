// A key chooses as its button does. Without this script the buttons do it.
const form = document.getElementById("choose");
let sent = false;

form.addEventListener("submit", (event) => {
  if (sent) event.preventDefault(); // a key that repeats chooses once
  sent = true;
});

addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload(); // another pair may be next by now
});

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || sent) return;
  const button = [...form.querySelectorAll("button")].find(({ value }) => value === event.key.toLowerCase());
  if (!button || button.disabled) return;
  event.preventDefault();
  form.requestSubmit(button);
});
