/**
 * Where the browser found this page, without the slash at the end. Behind a proxy that is not what the server took for
 * its own address, which it wrote into the curl lines.
 */
export const baseUrl = new URL('.', location.href).href.slice(0, -1);

const serverBaseUrl = document.documentElement.dataset.baseUrl;

/** Puts the true address into the curl lines below a node. */
export function useBaseUrl(root) {
  if (serverBaseUrl === baseUrl) return;
  for (const line of root.querySelectorAll('pre')) {
    line.textContent = line.textContent.replaceAll(serverBaseUrl, baseUrl);
  }
}
