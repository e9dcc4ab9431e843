import type { View } from '@spoor/contract/schemas/view'
import { useQuery } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useRef, useState } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import { changeView, createView, deleteView, viewsQuery } from '../../api/views.ts'
import { useMay, useSession } from '../../lib/hooks/use-session.ts'
import { useActions, useShortcuts } from '../../lib/hooks/use-shortcuts.ts'
import { changed } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { MENU_CONTENT, MENU_ITEM, MENU_LABEL } from '../../ui/menu-classes.ts'
import { TextForm } from '../../ui/text-form.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { FeedSearch } from '../filters/search.ts'
import { isChanged, toViewBody, toViewSearch } from './view-search.ts'

interface ViewsMenuProps {
  readonly search: FeedSearch
  /** The view that the address names. */
  readonly view: View | undefined
  onChange(next: FeedSearch): void
}

type Dialog = 'save' | 'rename' | 'delete'

export function ViewsMenu({ search, view, onChange }: ViewsMenuProps) {
  const maySave = useMay('ingest', 'manage')
  const mayManage = useMay('manage')
  const { key_id: ownKey } = useSession()
  const mayChange = maySave && (mayManage || view?.created_by === ownKey)
  const [dialog, setDialog] = useState<Dialog | null>(null)
  // A dialog opens once the menu has closed and given the focus back; otherwise it loses its own.
  const next = useRef<Dialog | null>(null)
  const choose = (chosen: Dialog) => {
    next.current = chosen
  }
  const refresh = [viewsQuery.queryKey]
  const named = {
    codes: { view_conflict: '/name' },
    refresh,
    submit: 'Save',
    needsText: true,
    onClose: () => setDialog(null),
  }
  const replacing = useAction(({ id }: View) => changeView(id, toViewBody(search)), {
    refresh,
    said: ({ name }) => `View “${name}” replaced`,
  })
  const deleting = useAction(({ id }: View) => deleteView(id), {
    onSuccess: () => onChange(changed(search, { view: undefined })),
    refresh,
    said: 'View deleted',
  })
  const [open, setOpen] = useState(false)
  useShortcuts('Trace list', { v: { does: 'Open views', opensMenu: true, run: () => setOpen(true) } })
  const ask = (label: string, asked: Dialog) => ({ label, run: () => setDialog(asked) })
  useActions([
    ...(maySave ? [ask('Save as new view…', 'save')] : []),
    ...(view !== undefined && mayChange
      ? [
          ask('Rename the view…', 'rename'),
          ask('Delete the view…', 'delete'),
          { label: 'Replace the view by these filters', run: () => replacing.mutate(view) },
        ]
      : []),
  ])
  return (
    <>
      <DropdownMenu.Root modal={false} open={open} onOpenChange={setOpen}>
        <DropdownMenu.Trigger asChild>
          <Button icon={Bookmark}>Views</Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            className={`${MENU_CONTENT} max-w-80`}
            align="end"
            sideOffset={4}
            onCloseAutoFocus={() => {
              setDialog(next.current)
              next.current = null
            }}
          >
            <SavedViews open={view} onOpen={(opened) => onChange(toViewSearch(opened))} />
            {maySave && (
              <>
                <DropdownMenu.Separator className="bg-line my-1 h-px" />
                <DropdownMenu.Item className={MENU_ITEM} onSelect={() => choose('save')}>
                  Save as new view…
                </DropdownMenu.Item>
                {view !== undefined && mayChange && (
                  <>
                    <DropdownMenu.Item
                      className={MENU_ITEM}
                      disabled={!isChanged(search, view)}
                      onSelect={() => replacing.mutate(view)}
                    >
                      Replace by these filters
                    </DropdownMenu.Item>
                    <DropdownMenu.Item className={MENU_ITEM} onSelect={() => choose('rename')}>
                      Rename…
                    </DropdownMenu.Item>
                    <DropdownMenu.Item className={`${MENU_ITEM} text-fail`} onSelect={() => choose('delete')}>
                      Delete…
                    </DropdownMenu.Item>
                  </>
                )}
              </>
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {dialog === 'save' && (
        <TextForm
          title="Save view"
          description="Filters, order and time range, for everybody in this project."
          send={(name) => createView({ name, ...toViewBody(search) })}
          said="View saved"
          onDone={({ id }) => onChange({ ...search, view: id })}
          {...named}
        />
      )}
      {dialog === 'rename' && view !== undefined && (
        <TextForm
          title="Rename view"
          initial={view.name}
          send={(name) => changeView(view.id, { name })}
          said="View renamed"
          {...named}
        />
      )}
      {view !== undefined && (
        <Confirm
          title={`Delete the view “${view.name}”`}
          text="It is deleted for everybody in this project. Its traces stay."
          confirm="Delete"
          open={dialog === 'delete'}
          onCancel={() => setDialog(null)}
          onConfirm={() => deleting.mutate(view)}
        />
      )}
    </>
  )
}

/** Loaded when the menu opens. */
function SavedViews({ open, onOpen }: { open: View | undefined; onOpen: (view: View) => void }) {
  const { data: views, error } = useQuery(viewsQuery)
  if (views === undefined) {
    return (
      <p className={MENU_LABEL} role={error === null ? 'status' : 'alert'}>
        {error === null ? 'Loading…' : asApiError(error).message}
      </p>
    )
  }
  if (views.length === 0) return <p className={MENU_LABEL}>No saved views yet</p>
  return (
    <DropdownMenu.RadioGroup value={open?.id ?? ''}>
      <DropdownMenu.Label className={MENU_LABEL}>Saved views</DropdownMenu.Label>
      {views.map((view) => (
        <DropdownMenu.RadioItem
          key={view.id}
          value={view.id}
          className={`${MENU_ITEM} justify-between`}
          onSelect={() => onOpen(view)}
        >
          <bdi className="truncate" title={view.name}>
            {view.name}
          </bdi>
          <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  )
}
