import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { Menu, TriangleAlert } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { monitorsQuery } from '../api/monitors.ts'
import { damageQuery } from '../api/readiness.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { Modal } from '../ui/modal.tsx'
import { Mark } from './mark.tsx'
import { Palette } from './palette.tsx'
import { ProjectMenu } from './project-menu.tsx'
import { SCREENS } from './screens.ts'
import { hasKeys, useShortcutGroups, useShortcuts } from '../lib/hooks/use-shortcuts.ts'

/** Users are beside the sessions, on their screen. */
const NAVIGATED = SCREENS.filter(({ to }) => to !== '/app/users')

export function Shell() {
  useGoShortcuts()
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#main"
        className="bg-accent text-on-accent sr-only rounded px-3 py-2 focus:not-sr-only focus:absolute focus:z-50"
      >
        Skip to content
      </a>
      <aside className="bg-sunken sticky top-0 hidden h-dvh w-48 shrink-0 flex-col border-r md:flex">
        <Brand />
        <Places />
        <div className="mt-auto border-t p-2">
          <ProjectMenu />
        </div>
      </aside>
      <TopBar />
      <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
        <DamageBanner />
        <Outlet />
      </main>
      <Palette />
      <ShortcutHelp />
    </div>
  )
}

function Brand() {
  return (
    <Link to="/app/home" className="flex items-center gap-2 px-4 py-3 text-lg font-semibold">
      <Mark className="size-6" /> Spoor
    </Link>
  )
}

function Places({ onGo }: { onGo?: () => void }) {
  return (
    <nav aria-label="Screens" className="flex flex-col gap-0.5 p-2">
      {NAVIGATED.map(({ to, label, Icon }) => (
        <Link
          key={to}
          to={to}
          {...(onGo === undefined ? {} : { onClick: onGo })}
          className="text-muted hover:bg-hover hover:text-ink flex items-center gap-2.5 rounded-md px-2.5 py-1.5 font-medium"
          activeProps={{ className: 'bg-selected text-ink!' }}
          activeOptions={{ includeSearch: false }}
        >
          <Icon className="size-4" aria-hidden /> {label}
          {to === '/app/monitors' && <FiredCount />}
        </Link>
      ))}
    </nav>
  )
}

/** How many monitors are firing; nothing if none is. */
function FiredCount() {
  const { data: fired = 0 } = useQuery({
    ...monitorsQuery,
    enabled: useMay('read'),
    select: (monitors) => monitors.filter(({ state }) => state === 'fired').length,
  })
  if (fired === 0) return null
  return (
    <span className="bg-fail-ground text-fail ml-auto rounded-full px-1.5 text-xs font-semibold tabular-nums">
      {fired} <span className="sr-only">fired</span>
    </span>
  )
}

/** For narrow screens. */
function TopBar() {
  const [open, setOpen] = useState(false)
  return (
    <header className="bg-sunken sticky top-0 z-30 flex items-center justify-between border-b md:hidden">
      <Brand />
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Trigger className="p-3" aria-label="Menu">
          <Menu className="size-5" aria-hidden />
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
          <Dialog.Content
            aria-describedby={undefined}
            className="bg-raised fixed inset-y-0 right-0 z-50 flex w-64 flex-col border-l shadow-xl outline-none"
          >
            <Dialog.Title className="px-4 py-3 font-semibold">Spoor</Dialog.Title>
            <Places onGo={() => setOpen(false)} />
            <div className="mt-auto border-t p-2">
              <ProjectMenu />
            </div>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </header>
  )
}

/** `g` and a letter open a screen. */
function useGoShortcuts(): void {
  const navigate = useNavigate()
  useShortcuts(
    'Global',
    Object.fromEntries(
      SCREENS.map(({ to, label, key }) => [`g ${key}`, { does: label, run: () => void navigate({ to }) }]),
    ),
  )
}

function ShortcutHelp() {
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

/**
 * Shown above every screen while data on the disk of the service is damaged: what is missing, and where to read more.
 */
function DamageBanner() {
  const { data: damage } = useQuery(damageQuery)
  if (damage === null || damage === undefined) return null
  const colors = damage.ok ? 'bg-warn-ground text-warn' : 'bg-fail-ground text-fail'
  return (
    <div role="alert" className={`flex items-start gap-2.5 border-b px-4 py-2.5 text-sm ${colors}`}>
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <p className="min-w-0 break-words">
        <strong className="font-semibold">
          {damage.ok
            ? 'Data on the disk of this service is damaged.'
            : 'Data on the disk of this service is damaged, and some of it is lost.'}
        </strong>{' '}
        {sentence(damage.detail ?? '')}
      </p>
    </div>
  )
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}
