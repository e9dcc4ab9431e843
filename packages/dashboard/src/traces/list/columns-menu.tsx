import { Columns3 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { Button } from '../../ui/button.tsx'
import { MENU_CONTENT, MENU_ITEM, MENU_LABEL } from '../../ui/menu-classes.ts'
import { COLUMN_IDS, type ColumnId, COLUMNS } from './columns.ts'

interface ColumnsMenuProps {
  readonly chosen: readonly ColumnId[]
  onChange(chosen: readonly ColumnId[]): void
}

export function ColumnsMenu({ chosen, onChange }: ColumnsMenuProps) {
  const toggle = (id: ColumnId, on: boolean) =>
    onChange(COLUMN_IDS.filter((each) => (each === id ? on : chosen.includes(each))))
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button icon aria-label="Columns" title="Columns">
          <Columns3 className="size-4" aria-hidden />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={MENU_CONTENT} align="end" sideOffset={4}>
          <DropdownMenu.Label className={MENU_LABEL}>Columns</DropdownMenu.Label>
          {COLUMN_IDS.filter((id) => id !== 'name').map((id) => (
            <DropdownMenu.CheckboxItem
              key={id}
              className={`${MENU_ITEM} justify-between`}
              checked={chosen.includes(id)}
              onCheckedChange={(on) => toggle(id, on)}
              onSelect={(event) => event.preventDefault()}
            >
              {COLUMNS[id].label}
              <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
