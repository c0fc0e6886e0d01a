/** Questions to the program in the kernel of a notebook. */

import type { Answer, Question } from "../walk";
import type { WidgetModel } from "./model";

/** How long an answer may take: 50 digits of a large graph take seconds. */
const PATIENCE = 60_000;

export class Program {
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private count = 0;

  constructor(private readonly model: WidgetModel) {
    model.on("msg:custom", this.receive);
  }

  ask(what: Question, node: number): Promise<Answer> {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, resolve);
      setTimeout(() => reject(new Error("The program did not answer within a minute.")), PATIENCE);
      if (this.model.send) this.model.send({ ask: what, node, id });
      else reject(new Error("This notebook cannot send questions to the program."));
    });
  }

  end(): void {
    this.model.off?.("msg:custom", this.receive);
  }

  private receive = (content: unknown): void => {
    const { answer, ...found } = Object(content) as Answer & { answer?: number };
    this.waiting.get(answer ?? -1)?.(found);
    this.waiting.delete(answer ?? -1);
  };
}
