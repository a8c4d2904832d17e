const gap = 16

/**
 * Scrolls its box, or the window, just far enough to show an element. Unlike `scrollIntoView`, the
 * next Tab still begins where the person is.
 */
export function showElement(element: Element, box: Element = document.documentElement): void {
  const { top, bottom } = element.getBoundingClientRect()
  const edge = box === document.documentElement ? 0 : box.getBoundingClientRect().top
  const above = edge + gap - top
  const below = bottom + gap - edge - box.clientHeight
  if (above > 0) box.scrollTop -= above
  else if (below > 0) box.scrollTop += Math.min(below, -above)
}
