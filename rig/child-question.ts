import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'

/** A question to a child process; answers have the number of their question. */
export interface Question {
  id: number
  kind: string
}

export interface Answer {
  id: number
  value?: number
  error?: string
}

export type Ask = (question: { kind: string }) => Promise<number>

/** Asks a child questions, any number in parallel; all fail when the child ends. */
export function toAsk(child: ChildProcess): Ask {
  let lastId = 0
  const open = new Map<number, PromiseWithResolvers<number>>()
  child.on('message', ({ id, value, error }: Answer) => {
    const question = open.get(id)
    open.delete(id)
    if (error === undefined) question?.resolve(value ?? 0)
    else question?.reject(new Error(error))
  })
  void once(child, 'exit').then(() => {
    for (const question of open.values()) question.reject(new Error('The process ended'))
    open.clear()
  })
  return (question) => {
    const id = ++lastId
    const answer = Promise.withResolvers<number>()
    open.set(id, answer)
    child.send({ ...question, id }, (error) => {
      if (error !== null) answer.reject(error)
    })
    return answer.promise
  }
}
