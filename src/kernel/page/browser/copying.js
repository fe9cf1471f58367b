const CONFIRMATION_MS = 1500;

/** Every Copy button copies the line beside it. */
export function enhanceCopying() {
  document.addEventListener('click', async ({ target }) => {
    const button = target.closest('button.copy');
    if (!button) return;
    const isCopied = await copy(button.parentElement.querySelector('pre'));
    button.textContent = isCopied ? 'Copied' : 'Select and copy';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, CONFIRMATION_MS);
  });
}

async function copy(line) {
  try {
    await navigator.clipboard.writeText(line.textContent);
    return true;
  } catch {
    // The clipboard is there for secure origins only, and a test service is often reached by plain HTTP.
    getSelection().selectAllChildren(line);
    return document.execCommand('copy');
  }
}
