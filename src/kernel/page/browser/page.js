import { useBaseUrl } from './base-url.js';
import { enhanceCopying } from './copying.js';
import { enhanceRows } from './endpoint-rows.js';
import { enhanceGroupLinks } from './group-links.js';
import { enhanceSearch } from './search.js';

/** The page works as the server sent it; this adds search, keys, full descriptions and the forms. */
useBaseUrl(document);
enhanceCopying();
enhanceGroupLinks();
enhanceSearch();
enhanceRows();
