import { X } from 'lucide-react'
import { Toast } from 'radix-ui'
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { UNDO_SECONDS } from '../api/trace.ts'
import { Button } from './button.tsx'

interface ToastContent {
  readonly kind: 'ok' | 'fail'
  readonly text: string
  /** Shows Undo. */
  undo?(): void
}

const ShowToast = createContext<(content: ToastContent) => void>(() => {})

/** Messages at once, beside older ones that can be undone. */
const SHOWN = 4

const scrollTo = (toast: HTMLElement | null) => toast?.scrollIntoView({ block: 'nearest' })

/** Returns a function that shows a message for some seconds. */
export function useToast(): (content: ToastContent) => void {
  return useContext(ShowToast)
}

export function Toasts({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly (ToastContent & { id: number })[]>([])
  const lastId = useRef(0)
  const close = (id: number) => setShown((before) => before.filter((toast) => toast.id !== id))
  const show = useCallback((content: ToastContent) => {
    const id = ++lastId.current
    // Its own clock: that of Radix stands still under the pointer, that of the service does not.
    if (content.undo !== undefined) setTimeout(() => close(id), 1000 * UNDO_SECONDS)
    setShown((before) => [
      ...before.filter(({ undo }, at) => undo !== undefined || at > before.length - SHOWN),
      { ...content, id },
    ])
  }, [])
  return (
    <ShowToast value={show}>
      <Toast.Provider duration={6000}>
        {children}
        {shown.map(({ id, kind, text, undo }) => (
          <Toast.Root
            key={id}
            ref={scrollTo}
            onOpenChange={(open) => {
              if (!open) close(id)
            }}
            {...(undo !== undefined && { duration: Infinity })}
            className={`bg-raised max-sm:not-last:hidden flex items-start gap-3 rounded-lg border p-3 shadow-lg ${kind === 'fail' ? 'border-fail' : ''}`}
          >
            <Toast.Description className="min-w-0 flex-1 break-words">{text}</Toast.Description>
            {undo !== undefined && (
              <Toast.Action altText="Undo" asChild>
                <Button onClick={undo}>Undo</Button>
              </Toast.Action>
            )}
            <Toast.Close aria-label="Close" className="text-muted hover:text-ink">
              <X className="size-4" aria-hidden />
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport className="fixed right-2 bottom-[calc(var(--bottom-bar,0px)+0.5rem)] z-50 flex max-h-84 w-[calc(100vw-1rem)] max-w-sm flex-col gap-2 overflow-y-auto outline-none" />
      </Toast.Provider>
    </ShowToast>
  )
}
