import { Ellipsis } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useContext } from 'react'
import { OfScreen, useActions } from '../lib/hooks/use-shortcuts.ts'
import { IconButton } from './button.tsx'
import { MENU_CONTENT, MENU_ITEM } from './menu-classes.ts'

interface MenuAction {
  readonly label: string
  readonly danger?: boolean
  run(): void
}

/** `label`: of the button, if there are several. */
export function MoreMenu({ actions, label: name = 'More' }: { actions: readonly MenuAction[]; label?: string }) {
  const isOfScreen = useContext(OfScreen) || name === 'More'
  useActions(isOfScreen ? actions : [])
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <IconButton icon={Ellipsis} label={name} variant={name === 'More' ? 'plain' : 'ghost'} />
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
