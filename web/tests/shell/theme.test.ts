// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";
import { setTheme, startTheme, theme } from "../../src/shell/theme";

const shown = () => document.documentElement.dataset.theme;

describe("the theme", () => {
  beforeEach(() => localStorage.clear());

  it("is the system's until one is chosen, and then stays", () => {
    startTheme();
    expect([theme.value, shown()]).toEqual(["system", undefined]);
    setTheme("dark");
    expect(shown()).toBe("dark");
    theme.value = "light";
    startTheme();
    expect([theme.value, shown()]).toEqual(["dark", "dark"]);
    setTheme("system");
    expect(shown()).toBeUndefined();
  });

  it("works where the browser keeps nothing", () => {
    const shut = () => {
      throw new DOMException("shut", "SecurityError");
    };
    const get = vi.spyOn(Storage.prototype, "getItem").mockImplementation(shut);
    const set = vi.spyOn(Storage.prototype, "setItem").mockImplementation(shut);
    setTheme("light");
    expect(shown()).toBe("light");
    startTheme();
    expect(theme.value).toBe("system");
    get.mockRestore();
    set.mockRestore();
  });
});
