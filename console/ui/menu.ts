/** CSS classes of a menu item. */
export const menuItem =
  'flex min-h-8 cursor-pointer items-center gap-2 rounded-sm px-2.5 text-base outline-none select-none data-highlighted:bg-hover pointer-coarse:min-h-11'
