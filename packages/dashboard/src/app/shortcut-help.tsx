import { useState } from 'react'
import { hasKeys, useShortcutGroups, useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { Modal } from '../ui/modal.tsx'

export function ShortcutHelp() {
  const [open, setOpen] = useState(false)
  useShortcuts('Help', { '?': { does: 'Show keyboard shortcuts', run: () => setOpen(true) } })
  const groups = useShortcutGroups().filter(({ shortcuts }) => Object.keys(shortcuts).some(hasKeys))
  return (
    <Modal title="Keyboard shortcuts" open={open} onOpenChange={setOpen} textOnly>
      <div className="grid gap-6 sm:grid-cols-2">
        {groups.map(({ title, shortcuts }) => (
          <section key={title}>
            <h3 className="text-muted mb-2 text-sm font-medium">{title}</h3>
            <dl className="space-y-1.5">
              {Object.entries(shortcuts).map(([keys, { does }]) => (
                <div key={keys} className="flex justify-between gap-4">
                  <dt>{does}</dt>
                  <dd className="flex items-start gap-1">
                    {keys.split(' ').map((key) => (
                      <kbd key={key} className="bg-sunken rounded border px-1.5 font-mono text-xs">
                        {key}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
