import { ListChecks } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import { formatCount } from '../lib/format-number.ts'
import { LINES_MAX, LINES_SHOWN } from '../lib/line-styles.ts'
import { rowsOf, type SeriesGroup } from '../lib/series-data.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/field.tsx'
import { POPOVER_CONTENT } from '../ui/menu-classes.ts'
import { groupKey, NO_GROUP } from './lines.ts'

interface GroupChooserProps {
  /** Largest first. */
  readonly groups: readonly SeriesGroup[]
  /** Number of further groups, which the service returns as one. */
  readonly leftOut: number
  /** Group keys. */
  readonly shown: readonly string[]
  /** Undefined: back to the largest. */
  onChange(keys: readonly string[] | undefined): void
}

export function GroupChooser({ groups, leftOut, shown, onChange }: GroupChooserProps) {
  const [wanted, setWanted] = useState('')
  const found = groups.filter(({ group }) => (group ?? NO_GROUP).toLowerCase().includes(wanted.toLowerCase()))
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button icon={ListChecks} variant="ghost">
          {shown.length} of {groups.length} groups
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className={`${POPOVER_CONTENT} w-80`} align="end" sideOffset={4} aria-label="Groups">
          {groups.length > 12 && (
            <Input
              aria-label="Find a group"
              placeholder="Find a group"
              value={wanted}
              onText={setWanted}
              className="mb-2"
            />
          )}
          <ul className="max-h-72 overflow-y-auto">
            {found.map(({ group, points }) => {
              const key = groupKey(group)
              const isShown = shown.includes(key)
              return (
                <li key={key}>
                  <label className="hover:bg-hover flex cursor-pointer items-center gap-2 rounded px-1.5 py-1 text-sm">
                    <input
                      type="checkbox"
                      checked={isShown}
                      disabled={isShown ? shown.length === 1 : shown.length >= LINES_MAX}
                      onChange={() => onChange(isShown ? shown.filter((each) => each !== key) : [...shown, key])}
                    />
                    <bdi className="min-w-0 flex-1 truncate" title={group ?? undefined}>
                      {group ?? NO_GROUP}
                    </bdi>
                    <span className="text-muted text-xs tabular-nums">{formatCount(rowsOf(points))}</span>
                  </label>
                </li>
              )
            })}
          </ul>
          <div className="text-muted mt-2 flex items-center justify-between gap-2 border-t pt-2 text-xs">
            <span>
              Max {LINES_MAX}.{leftOut > 0 && ` ${formatCount(leftOut)} smaller groups are in Other.`}
            </span>
            <Button variant="ghost" onClick={() => onChange(undefined)}>
              Show {Math.min(LINES_SHOWN, groups.length)} largest
            </Button>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
