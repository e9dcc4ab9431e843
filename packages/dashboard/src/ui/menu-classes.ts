/** Shared classes of menus, lists of choices and popovers. */
export const MENU_CONTENT =
  'bg-raised z-50 max-h-[min(24rem,var(--radix-popper-available-height,24rem))] min-w-48 overflow-y-auto rounded-lg border p-1 shadow-lg'
export const MENU_ITEM =
  'flex cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 outline-none data-[highlighted]:bg-hover data-[state=checked]:text-accent data-[state=checked]:font-medium data-[disabled]:opacity-50'
export const MENU_LABEL = 'text-muted px-2.5 py-1 text-xs'
export const POPOVER_CONTENT = 'bg-raised z-50 max-w-[calc(100vw-1rem)] rounded-lg border p-3 shadow-lg outline-none'
