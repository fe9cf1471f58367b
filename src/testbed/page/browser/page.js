import { useBaseUrl } from './base-url.js';
import { enhanceCopying } from './copying.js';
import { enhanceRows } from './endpoint-rows.js';
import { enhanceSearch } from './search.js';

/** The page works as the server sent it; this adds search, keys, full descriptions and the forms. */
useBaseUrl(document);
enhanceCopying();
enhanceSearch();
enhanceRows();

const groups = document.getElementById('groups');
groups.addEventListener('click', ({ target }) => {
  // On narrow screens the groups are a drawer, which has done its service.
  if (target.closest('a') && groups.matches(':popover-open')) groups.hidePopover();
});
