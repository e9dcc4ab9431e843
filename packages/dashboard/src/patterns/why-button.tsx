import { Split } from 'lucide-react'
import { useState } from 'react'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { Button } from '../ui/button.tsx'
import { Modal } from '../ui/modal.tsx'
import { PatternsList } from './patterns-list.tsx'

interface WhyButtonProps {
  readonly search: FeedSearch
  /** Null: as in the latest discovery. */
  readonly failureBy?: string | null
  /** False where the screen has several. */
  readonly shortcut?: boolean
  /** See PatternsList. */
  readonly allFailed?: boolean
}

/** Opens what failed runs of the list have that others have not. */
export function WhyButton({ search, failureBy = null, shortcut = true, allFailed = false }: WhyButtonProps) {
  const [open, setOpen] = useState(false)
  useShortcuts('Trace list', shortcut ? { w: { does: 'Why runs fail', run: () => setOpen(true) } } : {})
  return (
    <>
      <Button icon={Split} onClick={() => setOpen(true)} title="What failed runs have that others have not">
        Why
      </Button>
      <Modal title="Why runs fail" open={open} onOpenChange={setOpen}>
        <PatternsList search={search} initial={failureBy} allFailed={allFailed} />
      </Modal>
    </>
  )
}
