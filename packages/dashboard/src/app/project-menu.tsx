import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { ChevronsUpDown, LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { endSession } from '../api/change-session.ts'
import { projectsQuery } from '../api/projects.ts'
import { sessionQuery, signOut } from '../api/client/session.ts'
import { useTheme } from '../lib/hooks/use-theme.ts'
import { MENU_CONTENT, MENU_ITEM, MENU_LABEL } from '../ui/menu-classes.ts'
import { useAction } from '../ui/use-action.ts'
import { storeTheme, type Theme } from './theme.ts'
import { useSwitchProject } from './use-switch-project.ts'

const THEMES = [
  { theme: 'system', label: 'System', Icon: Monitor },
  { theme: 'light', label: 'Light', Icon: Sun },
  { theme: 'dark', label: 'Dark', Icon: Moon },
] as const

/** The current project, the switch to others, the theme and the sign-out. */
export function ProjectMenu() {
  const queryClient = useQueryClient()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const isAdmin = session?.scopes.includes('admin') ?? false
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: isAdmin })
  const theme = useTheme()
  const leave = useAction(signOut, { onSuccess: () => endSession(queryClient) })
  const change = useSwitchProject()
  if (session === null) return null
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="hover:bg-hover flex w-full items-center justify-between gap-2 rounded-md px-2.5 py-1.5 text-left">
        <span className="min-w-0">
          <span className="text-muted block text-xs">Project</span>
          <span className="block truncate font-medium" title={session.project_id}>
            {session.project_name}
          </span>
        </span>
        <ChevronsUpDown className="text-muted size-4 shrink-0" aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={MENU_CONTENT} align="start" side="top" sideOffset={4}>
          {projects.length > 1 && (
            <>
              <DropdownMenu.Label className={MENU_LABEL}>Project</DropdownMenu.Label>
              <DropdownMenu.RadioGroup value={session.project_id} onValueChange={change}>
                {projects.map(({ id, name }) => (
                  <DropdownMenu.RadioItem key={id} value={id} className={MENU_ITEM}>
                    <span className="truncate">{name}</span>
                  </DropdownMenu.RadioItem>
                ))}
              </DropdownMenu.RadioGroup>
              <DropdownMenu.Separator className="my-1 border-t" />
            </>
          )}
          <DropdownMenu.Label className={MENU_LABEL}>Theme</DropdownMenu.Label>
          <DropdownMenu.RadioGroup value={theme} onValueChange={(next) => storeTheme(next as Theme)}>
            {THEMES.map(({ theme: each, label, Icon }) => (
              <DropdownMenu.RadioItem key={each} value={each} className={MENU_ITEM}>
                <Icon className="size-4" aria-hidden /> {label}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator className="my-1 border-t" />
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => leave.mutate()}>
            <LogOut className="size-4" aria-hidden /> Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
