import { useEffect } from 'react'

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title.slice(0, 80)} · Spoor`
  }, [title])
}
