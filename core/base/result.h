// SPDX-License-Identifier: GPL-3.0-or-later
// Result<T>: a value or a typed error, for everything that can fail in normal use. Exceptions are for the exceptional.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace kf {

// Where something is, in a file a person can open. Lines and columns count from 1; 0 means unknown.
struct Place {
    std::string file;
    int line = 0;
    int column = 0;

    bool operator==(const Place&) const = default;
};

// "swiglu.cu:3:14", "swiglu.cu" or "".
std::string to_string(const Place& place);

// One failure: a short stable code for programs, one clear sentence, what to do about it, and where.
struct Error {
    std::string code;    // stable, lower case with dashes: "plan-syntax", "file-unreadable"
    std::string message; // says what was found
    std::string remedy;  // says what would be accepted, or what to do; may be empty
    Place place;
};

// "file:line:column: message (remedy)".
std::string to_string(const Error& error);

inline Error make_error(std::string code, std::string message, std::string remedy = {}, Place place = {}) {
    return Error{std::move(code), std::move(message), std::move(remedy), std::move(place)};
}

template<class T> class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    const T& value() const& {
        assert(ok());
        return std::get<0>(m_state);
    }
    T& value() & {
        assert(ok());
        return std::get<0>(m_state);
    }
    // By value: a reference into a temporary would dangle in `for (x : *f())`.
    T value() && {
        assert(ok());
        return std::get<0>(std::move(m_state));
    }
    const Error& error() const {
        assert(!ok());
        return std::get<1>(m_state);
    }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    T operator*() && { return std::move(*this).value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

private:
    std::variant<T, Error> m_state;
};

template<> class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}
    bool ok() const { return !m_error.has_value(); }
    explicit operator bool() const { return ok(); }
    const Error& error() const {
        assert(m_error.has_value());
        return *m_error;
    }

private:
    std::optional<Error> m_error;
};

using Status = Result<void>;

} // namespace kf
