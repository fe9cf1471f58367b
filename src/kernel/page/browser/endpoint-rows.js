import { useBaseUrl } from './base-url.js';
import { clearSearch } from './search.js';
import { enhanceTryIt } from './try-it.js';

/** Rows whose description is being fetched or is there. */
const loading = new WeakMap();

/** Opens rows with their full description, by click, by key and by address (`#/endpoint-id`). */
export function enhanceRows() {
  document.getElementById('endpoints').addEventListener('click', (event) => {
    const summary = event.target.closest('.endpoint > summary');
    if (!summary) return;
    event.preventDefault();
    const row = summary.parentElement;
    if (row.open) row.open = false;
    else openRow(row);
  });
  addEventListener('hashchange', openFromAddress);
  openFromAddress();
}

/** Opens only when everything is there, so that nothing jumps. */
export async function openRow(row) {
  await load(row);
  row.open = true;
  history.replaceState(null, '', `#${row.id}`);
}

async function openFromAddress() {
  const row =
    location.hash.startsWith('#/') && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!row) return;
  if (row.hidden) clearSearch();
  await openRow(row);
  row.scrollIntoView();
  row.querySelector('summary').focus({ preventScroll: true });
}

function load(row) {
  if (!loading.has(row)) loading.set(row, replacePlainDescription(row));
  return loading.get(row);
}

/** Without an answer the row keeps the curl lines it came with, and the next opening tries again. */
async function replacePlainDescription(row) {
  try {
    const response = await fetch(`assets/endpoints/${row.id.slice(1)}`);
    if (!response.ok) throw new Error(`answered ${response.status}`);
    const template = document.createElement('template');
    template.innerHTML = await response.text();
    useBaseUrl(template.content);
    row.querySelector('.plain').replaceWith(template.content);
    enhanceTryIt(row);
  } catch {
    loading.delete(row);
  }
}
