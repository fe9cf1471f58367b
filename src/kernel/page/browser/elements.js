export function amount(bytes) {
  return bytes < 10_000 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KiB`;
}

export function note(text, kind = '') {
  return element('p', `note ${kind}`.trim(), text);
}

export function codeBlock(text, label) {
  const block = element('pre', '', text);
  block.tabIndex = 0;
  block.setAttribute('aria-label', label);
  return block;
}

export function element(name, className = '', text = '') {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}
