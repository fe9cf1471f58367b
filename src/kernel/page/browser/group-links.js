/** The links to the groups: the one being read is marked, and on narrow screens their drawer closes after use. */
export function enhanceGroupLinks() {
  const groups = document.getElementById('groups');
  groups.addEventListener('click', ({ target }) => {
    if (target.closest('a') && groups.matches(':popover-open')) groups.hidePopover();
  });

  const sections = [...document.querySelectorAll('.group')];
  const reading = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) reading.add(target);
        else reading.delete(target);
      }
      mark(
        groups,
        sections.findLast((section) => reading.has(section)),
      );
    },
    // A group is being read while it reaches into the upper third of the window.
    { rootMargin: '0px 0px -66% 0px' },
  );
  for (const section of sections) observer.observe(section);
}

function mark(groups, section) {
  groups.querySelector('[aria-current]')?.removeAttribute('aria-current');
  if (!section) return;
  const link = groups.querySelector(`a[href="#${section.getAttribute('aria-labelledby')}"]`);
  link.setAttribute('aria-current', 'true');
  // Only the list itself may scroll.
  const below = link.offsetTop + link.offsetHeight - groups.clientHeight;
  if (link.offsetTop < groups.scrollTop) groups.scrollTop = link.offsetTop;
  else if (below > groups.scrollTop) groups.scrollTop = below;
}
