import { Ellipsis } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { Button } from '../../ui/button.tsx'
import { MENU_CONTENT, MENU_ITEM } from '../../ui/menu-classes.ts'

export interface MenuAction {
  readonly label: string
  readonly danger?: boolean
  run(): void
}

/** The less frequent actions of a trace. */
export function TraceMenu({ actions }: { actions: readonly MenuAction[] }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button icon aria-label="More">
          <Ellipsis className="size-4" aria-hidden />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={MENU_CONTENT} align="end" sideOffset={4}>
          {actions.map(({ label, danger = false, run }) => (
            <DropdownMenu.Item key={label} className={`${MENU_ITEM} ${danger ? 'text-fail' : ''}`} onSelect={run}>
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
