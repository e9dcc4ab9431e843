import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { ChevronsUpDown, LogOut, type LucideIcon, Monitor, Moon, Sun } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { endSession } from '../api/change-session.ts'
import { projectsQuery } from '../api/projects.ts'
import { sessionQuery, signOut, switchProject } from '../api/client/session.ts'
import { storeTheme, type Theme, THEMES, useTheme } from './theme.ts'
import { MENU_CONTENT, MENU_ITEM, MENU_LABEL } from '../ui/menu-classes.ts'
import { useAction } from '../ui/use-action.ts'

const ICONS: Readonly<Record<Theme, LucideIcon>> = { system: Monitor, light: Sun, dark: Moon }

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
            {Object.entries(THEMES).map(([each, label]) => {
              const Icon = ICONS[each as Theme]
              return (
                <DropdownMenu.RadioItem key={each} value={each} className={MENU_ITEM}>
                  <Icon className="size-4" aria-hidden /> {label}
                </DropdownMenu.RadioItem>
              )
            })}
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

/** Opens another project. The page begins anew, so that nothing of the former project is left in it. */
export function useSwitchProject(): (id: string) => void {
  const { mutate } = useAction(switchProject, {
    onSuccess: (next) => location.assign(`/app/p/${next.project_id}/traces`),
  })
  return mutate
}
