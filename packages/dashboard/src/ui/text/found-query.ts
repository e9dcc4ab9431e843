import { createContext, useContext } from 'react'

/** The search whose matches are marked in the text inside; empty for none. In lower case. */
export const FoundQuery = createContext('')

export function useFoundQuery(): string {
  return useContext(FoundQuery)
}

/** Whether a text matches the search, so that its place should be visible. */
export function useHasFound(text: string): boolean {
  const query = useContext(FoundQuery)
  return query !== '' && text.toLowerCase().includes(query)
}
