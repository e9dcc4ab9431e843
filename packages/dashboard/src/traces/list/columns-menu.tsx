import { useQuery } from '@tanstack/react-query'
import { Columns3 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { metricsQuery } from '../../api/metrics.ts'
import { useActions } from '../../lib/hooks/use-shortcuts.ts'
import { Button } from '../../ui/button.tsx'
import { MENU_CONTENT, MENU_ITEM, MENU_LABEL } from '../../ui/menu-classes.ts'
import {
  type ColumnId,
  columnOf,
  FIXED_COLUMNS,
  inTableOrder,
  metadataColumn,
  metadataKeyOf,
  metricColumn,
  metricNameOf,
  type Sort,
} from './columns.ts'
import { leftOut } from './filled-look.ts'
import type { Lines, ListLook } from './list-look.ts'

interface ColumnsMenuProps {
  readonly look: ListLook
  readonly sort: Sort | undefined
  /** Metadata keys that may become columns; called when the menu opens. */
  readonly offeredKeys: () => readonly string[]
  onChange(look: ListLook): void
}

/** Chooses the columns of the list, and whether input and output have a line of their own. */
export function ColumnsMenu(props: ColumnsMenuProps) {
  const [open, setOpen] = useState(false)
  useActions([{ label: 'Choose columns', run: () => setOpen(true) }])
  return (
    <DropdownMenu.Root modal={false} open={open} onOpenChange={setOpen}>
      <DropdownMenu.Trigger asChild>
        <Button icon={Columns3} aria-label="Columns" title="Columns" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={`${MENU_CONTENT} !max-h-(--radix-popper-available-height)`}
          align="end"
          sideOffset={4}
        >
          <Choices {...props} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function Choices({ look, sort, offeredKeys, onChange }: ColumnsMenuProps) {
  const { columns } = look
  const empty = leftOut(look, sort)
  const { data: metrics = [] } = useQuery(metricsQuery)
  const chosen = columns.flatMap((id) => metadataKeyOf(id) ?? [])
  // One that was chosen stays to be removed, whether it exists or not.
  const names = [...new Set([...columns.flatMap((id) => metricNameOf(id) ?? []), ...metrics.map(({ name }) => name)])]
  const keys = [...new Set([...chosen, ...offeredKeys()])]
  const toggle = (id: ColumnId, on: boolean) =>
    onChange({ ...look, columns: inTableOrder(on ? [...columns, id] : columns.filter((each) => each !== id)) })
  const item = (id: ColumnId) => (
    <DropdownMenu.CheckboxItem
      key={id}
      className={`${MENU_ITEM} justify-between`}
      checked={columns.includes(id)}
      onCheckedChange={(on) => toggle(id, on)}
      onSelect={(event) => event.preventDefault()}
    >
      <bdi className="max-w-64 truncate">{columnOf(id).label}</bdi>
      {empty.includes(id) && <span className="text-muted ml-auto text-xs">empty</span>}
      <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
    </DropdownMenu.CheckboxItem>
  )
  return (
    <>
      <DropdownMenu.Label className={MENU_LABEL}>Lines of a row</DropdownMenu.Label>
      <DropdownMenu.RadioGroup
        value={String(look.lines)}
        onValueChange={(lines) => onChange({ ...look, lines: Number(lines) as Lines })}
      >
        {LINES.map(([lines, label]) => (
          <DropdownMenu.RadioItem
            key={lines}
            value={String(lines)}
            className={`${MENU_ITEM} justify-between`}
            onSelect={(event) => event.preventDefault()}
          >
            {label}
            <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
      <DropdownMenu.Label className={MENU_LABEL}>Columns</DropdownMenu.Label>
      {FIXED_COLUMNS.filter((id) => id !== 'name').map(item)}
      {names.length > 0 && <DropdownMenu.Label className={MENU_LABEL}>Metrics</DropdownMenu.Label>}
      {names.map((name) => item(metricColumn(name)))}
      {keys.length > 0 && <DropdownMenu.Label className={MENU_LABEL}>Metadata that varies</DropdownMenu.Label>}
      {keys.map((key) => item(metadataColumn(key)))}
    </>
  )
}

const LINES = [
  [2, 'Two: input and output below'],
  [1, 'One'],
] as const
