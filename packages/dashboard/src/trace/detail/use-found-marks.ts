import { type RefObject, useEffect } from 'react'
import './found.css'

/**
 * The most matches that are marked, and the longest text that is searched: enough to see, and fast enough for every
 * frame.
 */
const MAX_PLACES = 500
const LONGEST_TEXT = 100_000

/**
 * Marks all matches of the query in the rendered text, also in text rendered later (Markdown, expanded parts). Scrolls
 * to the first match once per `of`. Older browsers mark nothing, but still find steps.
 */
export function useFoundMarks(root: RefObject<HTMLElement | null>, query: string, of: number): void {
  useEffect(() => {
    const element = root.current
    if (element === null || query === '' || !('highlights' in CSS)) return
    let seen = false
    let frame = 0
    const paint = () => {
      const places = findPlaces(element, query.toLowerCase())
      CSS.highlights.set('found', new Highlight(...places))
      const first = places[0]
      if (seen || first === undefined) return
      seen = true
      const { top, bottom } = first.getBoundingClientRect()
      const view = element.getBoundingClientRect()
      if (top < view.top || bottom > view.bottom) element.scrollTop += top - view.top - view.height / 3
    }
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(paint)
    })
    observer.observe(element, { childList: true, subtree: true, characterData: true })
    paint()
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete('found')
    }
  }, [root, query, of])
}

function findPlaces(element: HTMLElement, query: string): Range[] {
  const places: Range[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null && places.length < MAX_PLACES; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').slice(0, LONGEST_TEXT).toLowerCase()
    // In some languages lower case is longer: such a text is not marked, because the marks would be misplaced.
    if (text.length !== Math.min(LONGEST_TEXT, node.nodeValue?.length ?? 0)) continue
    for (let at = text.indexOf(query); at !== -1 && places.length < MAX_PLACES; at = text.indexOf(query, at + 1)) {
      const place = new Range()
      place.setStart(node, at)
      place.setEnd(node, at + query.length)
      places.push(place)
    }
  }
  return places
}
