import { Ellipsis } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { Button } from './button.tsx'
import { MENU_CONTENT, MENU_ITEM } from './menu-classes.ts'

interface MenuAction {
  readonly label: string
  readonly danger?: boolean
  run(): void
}

export function MoreMenu({ actions }: { actions: readonly MenuAction[] }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button icon={Ellipsis} aria-label="More" />
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
