// Sends the form without leaving the page, and shows the answer. The API key stays on the relay.
const form = document.querySelector("form");
const status = form.querySelector("[role=status]");
const button = form.querySelector("button");
const campaign = [...new URLSearchParams(location.search)].filter(([name]) => name.startsWith("utm_"));
// One id for each lead. If no answer comes, the next attempt sends the same id, so the CRM creates only one lead. Pages
// without https have no randomUUID: the relay then makes an id for each attempt.
const makeId = () => crypto.randomUUID?.() ?? "";
let submissionId = makeId();

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  status.textContent = "Enviando…";
  showErrors({});
  try {
    const fields = [...new FormData(form), ...campaign, ["submission_id", submissionId]];
    const reply = await fetch(form.action, { method: "POST", body: new URLSearchParams(fields) });
    const { message, errors = {} } = await reply.json();
    status.textContent = message;
    showErrors(errors);
    if (!reply.ok) return;
    form.reset();
    submissionId = makeId();
  } catch {
    status.textContent =
      "Não conseguimos enviar agora. Seus dados continuam aqui: tente de novo em instantes.";
  } finally {
    button.disabled = false;
  }
});

/** Shows each message below its field, linked for screen readers, and focuses the first field with a message. */
function showErrors(errors) {
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    document.getElementById(`${field.id}-error`).remove();
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
  for (const [name, message] of Object.entries(errors)) {
    const field = form.elements[name];
    const text = document.createElement("p");
    Object.assign(text, { id: `${name}-error`, className: "error", textContent: message });
    field.after(text);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", text.id);
  }
  form.querySelector("[aria-invalid]")?.focus();
}
