import { Tooltip } from 'radix-ui'
import type { ReactNode } from 'react'

/** An explanation of a focusable control, on hover and focus. */
export function Hint({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={4}
          className="bg-ink text-ground z-50 max-w-xs rounded-md px-2 py-1 text-xs break-words shadow-md"
        >
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
