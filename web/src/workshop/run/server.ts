/** The file runs on the computer of the studio, in a process of its own. */

import { adviceOn } from "../../ui/studio";
import { asReport, type Report } from "../report";
import { Stopped, type Runner, type Source } from "./runner";

export class ServerRunner implements Runner {
  private request: AbortController | null = null;

  async run({ text, name }: Source, tell: (words: string) => void): Promise<Report> {
    tell("Running on this computer …");
    const request = (this.request = new AbortController());
    try {
      return asReport(await this.ask(JSON.stringify({ source: text, name }), request.signal));
    } catch (error) {
      throw request.signal.aborted ? new Stopped() : error;
    }
  }

  private async ask(body: string, signal: AbortSignal): Promise<unknown> {
    const headers = { "content-type": "application/json" };
    const answer = await fetch("api/workshop", { method: "POST", headers, body, signal }).catch(() => null);
    if (!answer?.ok) throw new Error(adviceOn(answer?.status ?? null));
    return answer.json();
  }

  stop(): void {
    this.request?.abort();
  }
}
