// SPDX-License-Identifier: Apache-2.0
//
// What the functions of a C interface share: handles that are known to be there, exceptions that become -1 or NULL and
// a sentence, checks of arguments.
#ifndef GUARDED_H
#define GUARDED_H

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>

// All handles of one kind that are not destroyed yet. T has a member `std::string error` (mutable).
template <typename T>
class Handles {
public:
    explicit Handles(const char *missing) : missing_(missing) {}

    T *add(std::unique_ptr<T> made) {
        const std::lock_guard<std::mutex> lock(mutex_);
        there_.insert(made.get());
        return made.release();
    }
    // The caller's to delete.
    T *remove(T *handle) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (there_.erase(handle) == 0) throw std::invalid_argument(missing_);
        return handle;
    }
    // Of the last call that failed: with this handle, or in this thread without one that there is.
    const char *error(const T *handle) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return there_.count(handle) ? handle->error.c_str() : thread_error().c_str();
    }

    // Calls `body`. An exception becomes -1, or NULL where a pointer is returned, and its text the thread's error.
    template <typename Body>
    auto attempt(Body body) noexcept -> decltype(body()) {
        return attempt(thread_error(), body);
    }

    // The same with a handle, which must be there and gets the error.
    template <typename Handle, typename Body>
    auto guarded(Handle *handle, Body body) noexcept -> decltype(body(*handle)) {
        bool there = false;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            there = there_.count(handle) != 0;
        }
        return attempt(there ? handle->error : thread_error(), [&] {
            if (!there) throw std::invalid_argument(missing_);
            return body(*handle);
        });
    }

private:
    static std::string &thread_error() {
        thread_local std::string error;
        return error;
    }

    template <typename Body>
    static auto attempt(std::string &error, Body body) noexcept -> decltype(body()) {
        const auto note = [&error](const char *text) {
            try {
                error = text;
            } catch (...) {
                error.clear();
            }
        };
        try {
            return body();
        } catch (const std::bad_alloc &) {
            note("there is not enough memory");
        } catch (const std::exception &problem) {
            note(problem.what());
        } catch (...) {
            note("something went wrong that has no name");
        }
        if constexpr (std::is_pointer_v<decltype(body())>) return nullptr;
        else return -1;
    }

    const char *missing_;
    std::mutex mutex_;
    std::set<const T *> there_;
};

// What a caller gave to be read or written; there may be nothing where there is nothing to do.
template <typename Pointer>
Pointer needed(Pointer pointer, const char *what, uint64_t count = 1) {
    if (pointer == nullptr && count != 0) throw std::invalid_argument(std::string(what) + " is a null pointer");
    return pointer;
}

inline void check_range(const char *what, uint64_t value, uint64_t least, uint64_t most) {
    if (value >= least && value <= most) return;
    throw std::out_of_range(std::string(what) + " must be " + std::to_string(least) + " to " + std::to_string(most) +
                            ", not " + std::to_string(value));
}

#endif
