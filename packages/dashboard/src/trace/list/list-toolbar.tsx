import { ChevronDown, ChevronsDownUp, ChevronsUpDown, ChevronUp, OctagonX, Search } from 'lucide-react'
import type { Ref } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import type { StepView } from '../use-step-view.ts'

interface ListToolbarProps {
  readonly view: StepView
  readonly text: string
  onText(text: string): void
  /** Ref of the search box, for the shortcut `/`. */
  readonly searchRef: Ref<HTMLInputElement>
  /** Moves the focus from the search box to the steps. */
  onLeave(): void
  /** Shows the trace in place of a step. */
  onSummary(): void
  readonly summaryShown: boolean
  /** Whether all loaded steps have been searched. */
  readonly searched: boolean
}

export function ListToolbar({
  view,
  text,
  onText,
  searchRef,
  onLeave,
  onSummary,
  summaryShown,
  searched,
}: ListToolbarProps) {
  const failures = view.failed.length
  return (
    <div role="toolbar" aria-label="Steps" className="flex flex-wrap items-center gap-1.5 border-b px-2 py-1.5">
      <div className="relative min-w-36 flex-1">
        <Search className="text-muted pointer-events-none absolute top-2 left-2 size-4" aria-hidden />
        <Input
          ref={searchRef}
          type="search"
          value={text}
          onText={onText}
          onKeyDown={(event) => {
            if (event.key === 'Enter') view.goToMatch(event.shiftKey ? -1 : 1)
            else if (event.key === 'Escape') {
              if (text === '') onLeave()
              else onText('')
            } else if (event.key === 'ArrowDown') onLeave()
            else return
            event.preventDefault()
          }}
          aria-label="Search in this trace: names, types, models, errors, messages and metadata"
          title="Names, types, models, errors, messages and metadata"
          placeholder="Search names, errors, messages…  /"
          className="pl-8"
        />
      </div>
      {text !== '' && (
        <div className="flex items-center text-sm">
          <span role="status" className="text-muted px-1 text-xs whitespace-nowrap tabular-nums">
            {found(view, searched)}
          </span>
          <IconButton
            icon={ChevronUp}
            label="Previous match"
            keys="N"
            className="w-7!"
            onClick={() => view.goToMatch(-1)}
            disabled={view.matches.length === 0}
          />
          <IconButton
            icon={ChevronDown}
            label="Next match"
            keys="n"
            className="w-7!"
            onClick={() => view.goToMatch(1)}
            disabled={view.matches.length === 0}
          />
        </div>
      )}
      {failures > 0 && (
        <div className="bg-fail-ground text-fail flex h-8 items-center rounded-md pl-2 text-sm">
          <OctagonX className="mr-1.5 size-4" aria-hidden />
          <span className="whitespace-nowrap">
            {formatCount(failures)} {failures === 1 ? 'error' : 'errors'}
          </span>
          <IconButton
            icon={ChevronUp}
            label="Previous error"
            keys="E"
            className="w-7! text-inherit!"
            onClick={() => view.goToFailure(-1)}
          />
          <IconButton
            icon={ChevronDown}
            label="Next error"
            keys="e"
            className="w-7! text-inherit!"
            onClick={() => view.goToFailure(1)}
          />
        </div>
      )}
      {view.tree.depths.some((depth) => depth > 0) && (
        <div className="flex">
          <IconButton
            icon={ChevronsDownUp}
            label="Collapse all"

            onClick={() => view.foldAll(true)}
          />
          <IconButton
            icon={ChevronsUpDown}
            label="Expand all"

            onClick={() => view.foldAll(false)}
          />
        </div>
      )}
      <Button onClick={onSummary} aria-pressed={summaryShown} title="Summary of the trace (s)">
        Summary
      </Button>
    </div>
  )
}

function found({ matches, selected, tree }: StepView, searched: boolean): string {
  if (matches.length === 0) return searched ? 'No matches' : 'Searching…'
  const at = selected === -1 ? -1 : matches.indexOf(tree.lines[selected] as number)
  const of = `${formatCount(matches.length)}${searched ? '' : '+'}`
  return at === -1 ? `${of} ${matches.length === 1 ? 'step' : 'steps'}` : `${formatCount(at + 1)} of ${of}`
}
